// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/tile_stream.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// A product cut into tiles: how many along each side, how the stream is chunked, and how strips are dealt to arrays.
struct tile_grid {
  std::uint64_t row_folds = 0, col_folds = 0;                    // tiles over the array's rows and columns
  std::uint64_t full_chunks = 0, chunk_rows = 0, last_rows = 0;  // last_rows = 0: the stream is a multiple of the chunk
  std::uint64_t arrays = 0;                                      // that have work

  /// Strips of full chunks, and all strips, that array `x` of `arrays` takes when they are dealt in turn.
  [[nodiscard]] constexpr std::uint64_t full_strips(std::uint64_t x) const noexcept {
    return dealt(full_chunks * col_folds, x);
  }
  [[nodiscard]] constexpr std::uint64_t strips(std::uint64_t x) const noexcept { return dealt(all_strips(), x); }
  [[nodiscard]] constexpr std::uint64_t all_strips() const noexcept {
    return (full_chunks + (last_rows != 0)) * col_folds;
  }

 private:
  [[nodiscard]] constexpr std::uint64_t dealt(std::uint64_t strips, std::uint64_t x) const noexcept {
    return strips > x ? (strips - x - 1) / arrays + 1 : 0;
  }
};

namespace detail {

/// a·b. Throws: shape_error unless it fits 62 bits, so that sums of two such numbers never wrap.
[[nodiscard]] constexpr std::uint64_t cycles_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  require<shape_error>(!__builtin_mul_overflow(a, b, &product) && product >> 62 == 0, "systolic array: ", a, " * ", b,
                       " cycles or MACs do not fit 62 bits; the product must be smaller");
  return product;
}

}  // namespace detail

/// The tiles of a product. Output-stationary: one fold per tile of C, whose stream is not chunked.
/// Throws: as check().
[[nodiscard]] constexpr tile_grid cut_into_tiles(const array_shape& array, const gemm_extent& e,
                                                 const array_options& o) {
  check(array, e, o);
  const array_mapping map = map_onto(o.flow, e);
  const bool chunked = o.flow != dataflow::output_stationary && o.accumulator_rows != 0;
  const index_t chunk = chunked ? (std::min)(o.accumulator_rows, map.streamed) : map.streamed;
  tile_grid grid;
  grid.row_folds = static_cast<std::uint64_t>((map.over_rows - 1) / array.rows + 1);
  grid.col_folds = static_cast<std::uint64_t>((map.over_cols - 1) / array.cols + 1);
  if (o.flow == dataflow::output_stationary) {  // every fold is a strip of its own
    grid.col_folds *= grid.row_folds;
    grid.row_folds = 1;
  }
  grid.full_chunks = static_cast<std::uint64_t>(map.streamed / chunk);
  grid.chunk_rows = static_cast<std::uint64_t>(chunk);
  grid.last_rows = static_cast<std::uint64_t>(map.streamed % chunk);
  grid.arrays = (std::min)(static_cast<std::uint64_t>(o.mxus), grid.all_strips());
  return grid;
}

/// `folds` output-stationary folds on one array. One plane: each fold streams, drains and shifts its results out before
/// the next. Two planes: a fold starts max(k, R) cycles after its predecessor, and only the last shift shows.
[[nodiscard]] constexpr array_counters count_folds(const array_shape& array, std::uint64_t folds,
                                                   std::uint64_t streamed, int planes) noexcept {
  const auto R = static_cast<std::uint64_t>(array.rows), wave = R + static_cast<std::uint64_t>(array.cols) - 2;
  const std::uint64_t serial = planes == 1 ? folds : 1, hidden = folds - serial;
  array_counters c{.active = folds * streamed, .drain = serial * wave, .tiles = folds};
  c.shift = serial * R + hidden * (R > streamed ? R - streamed : 0);
  c.cycles = c.active + c.shift + c.drain;
  return c;
}

/// Cycles and counters of a product on the arrays of one core, without running it: equal to what systolic_array counts
/// cycle by cycle. O(1) in the product, O(mxus) in the arrays.
///
/// Strips (the tiles along k of one chunk and column block) are dealt to the arrays in turn; arrays that have work
/// share the memory port, so that each sees a tile every arrays·F cycles.
/// Throws: shape_error, value_error as check(); shape_error if a count does not fit 62 bits.
/// Example:
///   count_cycles({128, 128}, {.m = 8192, .k = 8192, .n = 16384}).cycles    // 67'109'246: 95.87 ms at 700 MHz
[[nodiscard]] constexpr array_counters count_cycles(const array_shape& array, const gemm_extent& e,
                                                    const array_options& o = {}) {
  const tile_grid grid = cut_into_tiles(array, e, o);
  const auto R = static_cast<std::uint64_t>(array.rows), C = static_cast<std::uint64_t>(array.cols);
  const std::uint64_t strips = detail::cycles_product(grid.full_chunks + 1, grid.col_folds);
  const std::uint64_t tiles = detail::cycles_product(strips, grid.row_folds);
  const std::uint64_t fetch = detail::cycles_product(o.fetch_cycles, grid.arrays);
  const auto streamed = static_cast<std::uint64_t>(map_onto(o.flow, e).streamed);
  const std::uint64_t rows_in =
      detail::cycles_product(detail::cycles_product(streamed, grid.col_folds), grid.row_folds);
  const std::uint64_t mac_slots = detail::cycles_product(rows_in, R * C);
  // bounds every time below
  static_cast<void>(detail::cycles_product(tiles + 2, (std::max)({grid.chunk_rows, 2 * R + C, fetch})));

  array_counters total;
  std::uint64_t busy = 0;
  for (std::uint64_t x = 0; x < grid.arrays; ++x) {
    const std::uint64_t full = grid.full_strips(x) * grid.row_folds, all = grid.strips(x) * grid.row_folds;
    tile_stream stream{.tiles = full,
                       .rows = grid.chunk_rows,
                       .last_tiles = all - full,
                       .last_rows = grid.last_rows,
                       .fetch_cycles = fetch,
                       .fifo_depth = static_cast<std::uint64_t>(o.fifo_depth)};
    if (full == 0)
      stream = {.tiles = all, .rows = grid.last_rows, .fetch_cycles = fetch, .fifo_depth = stream.fifo_depth};
    const array_counters one = o.flow == dataflow::output_stationary
                                   ? count_folds(array, all, streamed, o.accumulator_planes)
                                   : count_stream(array, stream);
    total = side_by_side(total, one);
    busy += one.cycles;
  }
  total.idle = detail::cycles_product(total.cycles, static_cast<std::uint64_t>(o.mxus)) - busy;
  total.useful_macs =
      static_cast<std::uint64_t>(e.m) * static_cast<std::uint64_t>(e.k) * static_cast<std::uint64_t>(e.n);
  total.unused_macs = mac_slots - total.useful_macs;
  return total;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
