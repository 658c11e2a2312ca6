// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
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

/// Offsets such that intervals that live at the same time never share a byte; every offset is a multiple of 64.
///
/// Largest first, each at the lowest offset that is free throughout its life: within a few percent of the largest sum
/// of live bytes for the chain-like graphs that networks are, where exact packing is NP-hard.
[[nodiscard]] inline arrangement arrange(std::span<const interval> lives) {
  const auto rounded = [](std::size_t bytes) {
    return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  };
  std::vector<std::size_t> order(lives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return lives[a].bytes > lives[b].bytes; });

  arrangement result{.offsets = std::vector<std::size_t>(lives.size())};
  std::vector<std::size_t> placed;  // by ascending offset
  for (const std::size_t i : order) {
    std::size_t offset = 0;
    for (const std::size_t other : placed) {
      if (!lives[i].overlaps(lives[other])) continue;
      if (result.offsets[other] >= offset + lives[i].bytes) break;
      offset = std::max(offset, result.offsets[other] + rounded(lives[other].bytes));
    }
    result.offsets[i] = offset;
    result.bytes = std::max(result.bytes, offset + rounded(lives[i].bytes));
    const auto after = std::upper_bound(placed.begin(), placed.end(), offset,
                                        [&](std::size_t value, std::size_t p) { return value < result.offsets[p]; });
    placed.insert(after, i);
  }
  return result;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
