// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <vector>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Memory that is needed from call `first` to call `last`, both included.
struct interval {
  int first = 0, last = 0;
  std::size_t bytes = 0;
  [[nodiscard]] constexpr bool overlaps(const interval& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
};

/// Where each interval starts in one arena, and how large the arena must be.
struct arrangement {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
};

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
    while (i /= 2) last_[i] = std::max(last_[2 * i], last_[2 * i + 1]);
  }

  std::size_t leaves_;
  std::vector<int> last_;                                  // of any box below: a tree over the first calls
  std::vector<std::set<free_box, ends_before>> starting_;  // by first call
};

}  // namespace detail

/// Offsets such that intervals that live at the same time never share a byte; every offset is a multiple of 64. Takes
/// O(n log n) for n intervals.
///
/// Largest first, each at the bottom of a free box that is high enough, or on top of all. Of the box, what lies beside
/// it in time stays free at its height, what lies above stays free for as long as the box was. On every network of
/// models/ this needs no more than the largest sum of live bytes; on random intervals up to 15 % more. (The best
/// packing is NP-hard to find.)
[[nodiscard]] arrangement arrange(std::span<const interval> lives);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

#if !RIDGEPOINT_COMPILED
#include <ridgepoint/graph/arena-inl.hpp>
#endif
