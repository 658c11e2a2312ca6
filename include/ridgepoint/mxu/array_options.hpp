// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/dataflow.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Rows × columns of processing elements.
struct array_shape {
  index_t rows = 0, cols = 0;
  static constexpr index_t largest = 65536;
  friend constexpr bool operator==(const array_shape&, const array_shape&) = default;
};

/// Rows and columns of an array that is simulated: known when compiling, or <0, 0>: known when running.
template <int R, int C>
struct array_extents {
  static constexpr int rows = R, cols = C;
  static constexpr array_shape shape{R, C};
  constexpr array_extents() = default;
  constexpr explicit array_extents(const array_shape&) noexcept {}
};
template <>
struct array_extents<0, 0> {
  int rows, cols;
  array_shape shape;
  constexpr explicit array_extents(const array_shape& array) noexcept
      : rows(static_cast<int>(array.rows)), cols(static_cast<int>(array.cols)), shape(array) {}
};

/// How a product runs on the arrays of one core.
struct array_options {
  dataflow flow = dataflow::weight_stationary;
  /// F: cycles in which the memory port delivers one tile of the stationary operand; 0: the operand is on chip already.
  std::uint64_t fetch_cycles = 0;
  /// D: tiles the FIFO between memory and array holds, the one that is arriving included.
  index_t fifo_depth = 4;
  /// Rows of accumulators below the array; longer streams are cut into chunks of that many rows. 0: never cut.
  index_t accumulator_rows = 0;
  /// Arrays of the core. Each takes whole strips (all tiles along k of one chunk and column block), dealt in turn.
  index_t mxus = 1;
  /// Output-stationary only: 2 lets results leave while the next fold computes, 1 does not.
  int accumulator_planes = 2;
  friend constexpr bool operator==(const array_options&, const array_options&) = default;
};

/// Throws: shape_error for an extent or array size out of range, value_error for an option out of range.
constexpr void check(const array_shape& array, const gemm_extent& e, const array_options& o) {
  require<shape_error>(
      array.rows >= 1 && array.cols >= 1 && array.rows <= array_shape::largest && array.cols <= array_shape::largest,
      "systolic array: is ", array.rows, 'x', array.cols, "; each side must be 1 to ", array_shape::largest);
  require<shape_error>(e.m >= 1 && e.k >= 1 && e.n >= 1, "systolic array: product of ", e.m, 'x', e.k, " and ", e.k,
                       'x', e.n, "; every extent must be >= 1");
  require<value_error>(o.fifo_depth >= 1, "systolic array: FIFO of ", o.fifo_depth, " tiles; must hold at least 1");
  require<value_error>(o.accumulator_rows >= 0, "systolic array: ", o.accumulator_rows,
                       " accumulator rows; must be >= 0 (0: as many as the product needs)");
  require<value_error>(o.mxus >= 1 && o.mxus <= 1024, "systolic array: ", o.mxus, " arrays; must be 1 to 1024");
  require<value_error>(o.accumulator_planes == 1 || o.accumulator_planes == 2, "systolic array: ", o.accumulator_planes,
                       " accumulator planes; must be 1 or 2");
  require<value_error>(o.flow != dataflow::output_stationary || o.fetch_cycles == 0,
                       "systolic array: output-stationary streams both operands; fetch_cycles is ", o.fetch_cycles,
                       ", must be 0");
}

/// Cycles in which memory delivers one tile, rounded to the nearest: TPU v1's 64 KiB at 34 GB/s and 700 MHz are 1349.
/// Throws: value_error unless all three are positive and the result fits 62 bits.
[[nodiscard]] constexpr std::uint64_t fetch_cycles(std::uint64_t tile_bytes, double bytes_per_s, double clock_hz) {
  require<value_error>(tile_bytes > 0 && bytes_per_s > 0 && clock_hz > 0, "tile fetch: ", tile_bytes, " bytes, ",
                       bytes_per_s, " bytes/s, ", clock_hz, " Hz; must all be > 0");
  const double cycles = static_cast<double>(tile_bytes) / bytes_per_s * clock_hz;
  require<value_error>(cycles < 4.6e18, "tile fetch: takes ", cycles, " cycles; must fit 62 bits");
  return static_cast<std::uint64_t>(cycles + 0.5);
}

/// Whole tiles that a FIFO of `fifo_bytes` holds. Throws: value_error if not even one fits.
[[nodiscard]] constexpr index_t fifo_tiles(std::uint64_t fifo_bytes, std::uint64_t tile_bytes) {
  require<value_error>(tile_bytes > 0 && fifo_bytes >= tile_bytes, "weight FIFO: holds ", fifo_bytes,
                       " bytes but a tile has ", tile_bytes, "; must hold at least one tile");
  return static_cast<index_t>(fifo_bytes / tile_bytes);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
