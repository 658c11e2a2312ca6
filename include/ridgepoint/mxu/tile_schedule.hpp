// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/mxu/array_options.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::systolic {

/// The tiles of one array: `tiles` of `rows` streamed rows each, then `last_tiles` of `last_rows` ≤ rows.
/// Requires: tiles ≥ 1, and times that fit 62 bits (count_cycles() has checked that).
struct tile_stream {
  std::uint64_t tiles = 0, rows = 0;
  std::uint64_t last_tiles = 0, last_rows = 0;
  std::uint64_t fetch_cycles = 0, fifo_depth = 1;
};

namespace detail {

/// Adds `times` tiles that each start `period` cycles after their predecessor, which streams `rows` rows.
constexpr void add_tiles(array_counters& c, std::uint64_t times, std::uint64_t period, std::uint64_t rows,
                         std::uint64_t array_rows) noexcept {
  const std::uint64_t gap = period - rows, shift = (std::min)(gap, array_rows);
  c.cycles += times * period;
  c.shift += times * shift;
  c.stall += times * (gap - shift);
}

}  // namespace detail

/// Counts a weight-stationary tile stream on one R×C array, in O(1) steps for any number of tiles.
///
/// With F fetch cycles, D FIFO slots and M(i) rows of tile i, the array obeys (docs/tpu.md derives it)
///   ready(i) = max(ready(i−1), load(i−D)) + F      load(i) = max(ready(i), start(i−1))
///   start(i) = max(load(i) + R, start(i−1) + M(i−1))
/// For equal tiles start(i) = F + R + i·P, P = max(M, R, F). When rows get fewer after tile n₀, with P₁ = max(M₁, R),
///   start(n₀+q) = start(n₀) + max(q·P₁, q·F + e)   e = max(n₀·(F − P), R − D·F), only if F > P₁:
/// the FIFO, filled while long tiles ran, drains at P₁ per tile until the memory port is the limit again.
[[nodiscard]] constexpr array_counters count_stream(const array_shape& array, const tile_stream& s) noexcept {
  const auto R = static_cast<std::uint64_t>(array.rows), C = static_cast<std::uint64_t>(array.cols);
  const std::uint64_t F = s.fetch_cycles, period = (std::max)({s.rows, R, F});
  array_counters c;
  c.tiles = s.tiles + s.last_tiles;
  detail::add_tiles(c, 1, F + R, 0, R);                                    // the first tile: nothing hides it
  detail::add_tiles(c, s.tiles - (s.last_tiles == 0), period, s.rows, R);  // starts 1 … n₀
  if (s.last_tiles > 1) {
    const std::uint64_t more = s.last_tiles - 1, fast = (std::max)(s.last_rows, R);
    if (F <= fast) {
      detail::add_tiles(c, more, fast, s.last_rows, R);
    } else {
      const std::uint64_t depth = (std::min)(s.fifo_depth, c.tiles);  // more slots than tiles change nothing
      const std::uint64_t margin = (std::min)(s.tiles * (period - F), depth * F - R);  // −e: lead of the FIFO in cycles
      const std::uint64_t drained = margin / (F - fast);                               // tiles that the lead covers
      detail::add_tiles(c, (std::min)(drained, more), fast, s.last_rows, R);
      if (more > drained) {
        const std::uint64_t left_over = margin - drained * (F - fast);
        detail::add_tiles(c, 1, F - left_over, s.last_rows, R);
        detail::add_tiles(c, more - drained - 1, F, s.last_rows, R);
      }
    }
  }
  c.active = s.tiles * s.rows + s.last_tiles * s.last_rows;
  c.drain = R + C - 2;
  c.cycles += (s.last_tiles != 0 ? s.last_rows : s.rows) + c.drain;
  return c;
}

/// A product cut into tiles: tiles along each side, chunks of the stream, and the strips of each array.
struct tile_grid {
  std::uint64_t row_folds = 0, col_folds = 0;                    // tiles over the array's rows and columns
  std::uint64_t full_chunks = 0, chunk_rows = 0, last_rows = 0;  // last_rows = 0: the stream is a multiple of the chunk
  std::uint64_t arrays = 0;                                      // with work

  /// Number of strips of full chunks, and of all strips, of array `x` of `arrays` in round-robin order.
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
  if (o.flow == dataflow::output_stationary) {  // every fold is its own strip
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

/// Counts cycles and counters of a product on the arrays of one core without running it; equal to systolic_array's
/// counts. O(1) in the product, O(mxus) in the arrays.
///
/// Strips (the tiles along k of one chunk and column block) are dealt to the arrays in turn. Arrays with work share the
/// memory port, so that each receives a tile every arrays·F cycles.
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

/// One tile of the stationary operand and the rows that stream past it (or one output-stationary fold).
struct tile {
  index_t row0 = 0, col0 = 0;         // its position in the stationary operand (in C)
  index_t rows = 0, cols = 0;         // the part of the array it fills
  index_t stream0 = 0, streamed = 0;  // the rows that stream past it
  bool first_fold = true;             // its results start an accumulator; later folds add to it
};

/// The tiles of array `x`: chunk by chunk, then column block by column block, then fold by fold.
class tile_walk {
 public:
  tile_walk(const array_shape& array, const gemm_extent& e, const array_options& o, std::uint64_t x)
      : array_(array),
        map_(map_onto(o.flow, e)),
        grid_(cut_into_tiles(array, e, o)),
        x_(x),
        output_stationary_(o.flow == dataflow::output_stationary) {}

  [[nodiscard]] const array_shape& array() const noexcept { return array_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return grid_.strips(x_) * grid_.row_folds; }
  [[nodiscard]] tile operator[](std::uint64_t i) const noexcept {
    const std::uint64_t strip = x_ + i / grid_.row_folds * grid_.arrays;
    auto fold = static_cast<index_t>(i % grid_.row_folds);
    auto block = static_cast<index_t>(strip % grid_.col_folds);
    const auto chunk = static_cast<index_t>(strip / grid_.col_folds), rows = static_cast<index_t>(grid_.chunk_rows);
    if (output_stationary_) {  // folds of C, row block by row block
      const index_t across = ceil_div(map_.over_cols, array_.cols);
      fold = block / across;
      block %= across;
    }
    tile t{.row0 = fold * array_.rows, .col0 = block * array_.cols, .stream0 = chunk * rows};
    t.rows = (std::min)(array_.rows, map_.over_rows - t.row0);
    t.cols = (std::min)(array_.cols, map_.over_cols - t.col0);
    t.streamed = (std::min)(rows, map_.streamed - t.stream0);
    t.first_fold = output_stationary_ || fold == 0;
    return t;
  }

 private:
  array_shape array_;
  array_mapping map_;
  tile_grid grid_;
  std::uint64_t x_;
  bool output_stationary_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::systolic
