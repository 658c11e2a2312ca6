// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Rows of A and columns of B in one tile. A sum of latency 6, up to two a cycle (Zen 5), needs 12 in flight: 14×2
/// registers are 28, plus two of B and one of A.
struct pair_tile {
  static constexpr int rows = 14, cols = 32, lanes = 16;
};

/// Source of B of a tile: panels of pack_pairs(), or rows of adjacent columns in place, interleaved in registers.
enum class pair_source { panel, rows };

/// Elements of `depth` steps of `width` lines in pairs.
[[nodiscard]] constexpr index_t packed_pairs(index_t depth, index_t width) noexcept {
  return round_up(depth, 2) * width;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
