// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <queue>
#include <set>

#include <ridgepoint/graph/arena.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

/// Bytes of an arena that are free from call `first` to call `last`.
struct free_box {
  int first = 0, last = 0;
  std::size_t offset = 0, bytes = 0;
};

/// Free boxes, found by the calls they are free for; every operation takes O(log n).
class free_boxes {
 public:
  /// For boxes whose first call is 0 to calls - 1.
  explicit free_boxes(int calls)
      : leaves_(std::bit_ceil(static_cast<std::size_t>(calls))), last_(2 * leaves_, -1), starting_(leaves_) {}

  void add(const free_box& b) {
    const auto first = static_cast<std::size_t>(b.first);
    starting_[first].insert(b);
    refresh(first);
  }
  /// Takes out the box that begins last, and of those ends first, among all that are free from `first` to `last`.
  [[nodiscard]] std::optional<free_box> take(int first, int last) {
    std::size_t i = leaves_ + static_cast<std::size_t>(first);
    while (last_[i] < last) {  // up and to the left, to a subtree that has one
      while (i % 2 == 0) i /= 2;
      if (i == 1) return std::nullopt;
      --i;
    }
    while (i < leaves_) i = last_[2 * i + 1] >= last ? 2 * i + 1 : 2 * i;
    auto& boxes = starting_[i - leaves_];
    const auto found = boxes.lower_bound(free_box{.last = last});
    const free_box taken = *found;
    boxes.erase(found);
    refresh(i - leaves_);
    return taken;
  }

 private:
  struct ends_before {
    bool operator()(const free_box& a, const free_box& b) const noexcept {
      return a.last != b.last ? a.last < b.last : a.offset < b.offset;
    }
  };
  void refresh(std::size_t first) {
    std::size_t i = leaves_ + first;
    last_[i] = starting_[first].empty() ? -1 : starting_[first].rbegin()->last;
    while (i /= 2) last_[i] = (std::max)(last_[2 * i], last_[2 * i + 1]);
  }

  std::size_t leaves_;
  std::vector<int> last_;                                  // of any box below: a tree over the first calls
  std::vector<std::set<free_box, ends_before>> starting_;  // by first call
};

}  // namespace detail

RIDGEPOINT_DEFINITION arrangement arrange(std::span<const interval> lives) {
  arrangement result{.offsets = std::vector<std::size_t>(lives.size())};
  if (lives.empty()) return result;
  const auto rounded = [](std::size_t bytes) {
    return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  };
  std::vector<std::size_t> order(lives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return lives[a].bytes > lives[b].bytes; });
  int begin = lives[0].first, end = lives[0].last;
  for (const interval& i : lives) begin = (std::min)(begin, i.first), end = (std::max)(end, i.last);
  const int calls = end - begin + 1;

  detail::free_boxes usable(calls);  // at least as high as what is left to place
  const auto lower = [](const detail::free_box& a, const detail::free_box& b) { return a.bytes < b.bytes; };
  std::priority_queue<detail::free_box, std::vector<detail::free_box>, decltype(lower)> too_low(lower);
  for (const std::size_t i : order) {
    const std::size_t bytes = rounded(lives[i].bytes);
    if (bytes == 0) break;
    for (; !too_low.empty() && too_low.top().bytes >= bytes; too_low.pop()) usable.add(too_low.top());

    const int first = lives[i].first - begin, last = lives[i].last - begin;
    std::optional<detail::free_box> box = usable.take(first, last);
    if (!box) {
      box = {.first = 0, .last = calls - 1, .offset = result.bytes, .bytes = bytes};
      result.bytes += bytes;
    }
    result.offsets[i] = box->offset;
    if (box->first < first) usable.add({box->first, first - 1, box->offset, bytes});
    if (last < box->last) usable.add({last + 1, box->last, box->offset, bytes});
    if (bytes < box->bytes) too_low.push({box->first, box->last, box->offset + bytes, box->bytes - bytes});
  }
  return result;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
