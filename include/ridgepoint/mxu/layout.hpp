// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// Vector registers hold 8 × 128 values: the two fastest extents of every array are padded to that.
inline constexpr index_t sublanes = 8, lanes = 128;

/// Elements a rows × cols array takes in memory: the smaller of rows → 8, cols → 128 and rows → 128, cols → 8, since
/// either extent may be the fastest one.
/// Example: padded_elements(64, 1000) == 64 * 1024, padded_elements(128, 1000) == 128 * 1000
[[nodiscard]] constexpr index_t padded_elements(index_t rows, index_t cols) noexcept {
  return (std::min)(round_up(rows, sublanes) * round_up(cols, lanes), round_up(rows, lanes) * round_up(cols, sublanes));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
