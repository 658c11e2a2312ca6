// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/arena.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

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
  for (const interval& i : lives) begin = std::min(begin, i.first), end = std::max(end, i.last);
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
