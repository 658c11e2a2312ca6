// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// Matrix of C(m×n) = A(m×k)·B(k×n) that stays in the array while the others move through it.
enum class dataflow {
  weight_stationary,  // a tile of B stays, rows of A stream, sums move down: the TPU's MXU
  output_stationary,  // a tile of C stays, A comes from the left, B from above
  input_stationary,   // a tile of Aᵀ stays, columns of B stream: weight-stationary on Cᵀ = Bᵀ·Aᵀ
};

[[nodiscard]] constexpr std::string_view to_string(dataflow flow) noexcept {
  switch (flow) {
    case dataflow::weight_stationary:
      return "weight-stationary";
    case dataflow::output_stationary:
      return "output-stationary";
    case dataflow::input_stationary:
      break;
  }
  return "input-stationary";
}

/// The extents of C(m×n) = A(m×k)·B(k×n).
struct gemm_extent {
  index_t m = 0, k = 0, n = 0;
  friend constexpr bool operator==(const gemm_extent&, const gemm_extent&) = default;
};

/// Mapping of a product onto an array: extents spread over its rows and over its columns, and the streamed extent.
struct array_mapping {
  index_t over_rows = 0, over_cols = 0, streamed = 0;
};

/// weight-stationary: k over rows, n over columns, m streams. input-stationary: k, m, n. output-stationary: m, n, k.
[[nodiscard]] constexpr array_mapping map_onto(dataflow flow, const gemm_extent& e) noexcept {
  switch (flow) {
    case dataflow::weight_stationary:
      return {e.k, e.n, e.m};
    case dataflow::input_stationary:
      return {e.k, e.m, e.n};
    case dataflow::output_stationary:
      break;
  }
  return {e.m, e.n, e.k};
}

/// Rows × columns of processing elements.
struct array_shape {
  index_t rows = 0, cols = 0;
  static constexpr index_t largest = 65536;
  friend constexpr bool operator==(const array_shape&, const array_shape&) = default;
};

/// Rows and columns of a simulated array: compile-time constants, or <0, 0> for a size set at run time.
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

/// Options of a product on the arrays of one core.
struct array_options {
  dataflow flow = dataflow::weight_stationary;
  /// F: cycles in which the memory port delivers one tile of the stationary operand; 0: the operand is on chip already.
  std::uint64_t fetch_cycles = 0;
  /// D: tiles that the FIFO between memory and array holds, including the one that is arriving.
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

/// Number of whole tiles that fit in `fifo_bytes`. Throws: value_error if not even one fits.
[[nodiscard]] constexpr index_t fifo_tiles(std::uint64_t fifo_bytes, std::uint64_t tile_bytes) {
  require<value_error>(tile_bytes > 0 && fifo_bytes >= tile_bytes, "weight FIFO: holds ", fifo_bytes,
                       " bytes but a tile has ", tile_bytes, "; must hold at least one tile");
  return static_cast<index_t>(fifo_bytes / tile_bytes);
}

/// Hardware counters as TPU v1 reports them (Jouppi et al. 2017, Table 3), summed over the arrays of a core.
///
/// Every cycle of every array is exactly one of five: active + stall + shift + drain + idle = arrays · cycles.
/// A processing element that holds an operand in a cycle counts one MAC: useful if both operands belong to the product,
/// unused if they pad a tile to the array's size.
struct array_counters {
  std::uint64_t cycles = 0;  // until the last array is done
  std::uint64_t active = 0;  // an operand row enters the array
  std::uint64_t stall = 0;   // nothing enters: the tile is not in the FIFO yet
  std::uint64_t shift = 0;   // nothing enters: a tile shifts in (or, output-stationary, results shift out)
  std::uint64_t drain = 0;   // the last row has entered, its results have not all left
  std::uint64_t idle = 0;    // this array is done, another one is not
  std::uint64_t useful_macs = 0;
  std::uint64_t unused_macs = 0;
  std::uint64_t tiles = 0;  // tiles (weight-, input-stationary) or folds (output-stationary) processed

  /// Useful MACs per processing element and cycle, 0 to 1.
  [[nodiscard]] constexpr double utilisation(std::uint64_t elements) const noexcept {
    const double mac_slots = static_cast<double>(cycles) * static_cast<double>(elements);
    return mac_slots > 0 ? static_cast<double>(useful_macs) / mac_slots : 0;
  }
  friend constexpr bool operator==(const array_counters&, const array_counters&) = default;
};

/// Sums the counters of two arrays that run at the same time. The caller, who knows all arrays, sets idle.
[[nodiscard]] constexpr array_counters side_by_side(const array_counters& a, const array_counters& b) noexcept {
  return {.cycles = a.cycles > b.cycles ? a.cycles : b.cycles,
          .active = a.active + b.active,
          .stall = a.stall + b.stall,
          .shift = a.shift + b.shift,
          .drain = a.drain + b.drain,
          .useful_macs = a.useful_macs + b.useful_macs,
          .unused_macs = a.unused_macs + b.unused_macs,
          .tiles = a.tiles + b.tiles};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
