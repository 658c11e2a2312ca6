// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
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
