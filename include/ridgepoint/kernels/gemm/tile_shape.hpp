// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <iterator>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/kernel.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

/// \file
/// Shapes of the GEMM register tiles for the registers of an instruction set.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Register tile of GEMM over packed panels: rows, and vectors per row. The accumulators leave registers for one row
/// of B and one value of A.
///   16 registers: 6×2 is 12 accumulators + 2 + 1. 32 registers: 14×2 is 28 + 2 + 1.
inline constexpr int tile_vectors = 2;
[[nodiscard]] constexpr int tile_rows(vector_unit v) noexcept { return v.registers >= 32 ? 14 : 6; }

/// Columns of a packed panel.
template <class T>
[[nodiscard]] constexpr index_t panel_width(vector_unit v) noexcept {
  return tile_vectors * v.lanes<T>();
}

/// Elements in a cache line.
template <class T>
inline constexpr index_t line_elements = 64 / static_cast<index_t>(sizeof(T));

/// Elements from one row to the next, for rows of `elements` that are read in parallel: avoids rows that begin in the
/// same L1 set and evict each other.
template <class T>
[[nodiscard]] constexpr index_t row_distance(index_t elements) noexcept {
  return elements * static_cast<index_t>(sizeof(T)) % 2048 == 0 ? elements + line_elements<T> : elements;
}

/// Maximum vectors per row of a register tile, and maximum rows.
inline constexpr int most_vectors = 6;
[[nodiscard]] constexpr int most_rows(vector_unit v) noexcept { return v.registers >= 32 ? 14 : 12; }

/// Whether slices·mr·nv accumulators fit the registers, together with the shorter side of the tile, one value of the
/// other and, without FMA, a product.
[[nodiscard]] constexpr bool tile_fits(vector_unit v, int mr, int nv, int slices = 1) noexcept {
  return slices * mr * nv + (std::min)(mr, nv) + (v.fma ? 1 : 2) <= v.registers;
}

/// Maximum depth of gemm_outer().
inline constexpr index_t outer_depth = 4;

/// Maximum columns of a dot_tile (wider B is cut into equal groups), and maximum rows.
[[nodiscard]] constexpr index_t dot_columns(vector_unit v) noexcept { return v.registers >= 32 ? 8 : 6; }
inline constexpr int most_dot_rows = 8;

namespace detail {
/// Largest second extent that fits with i, for each number of registers, with and without FMA.
template <int Count>
struct largest_of {
  std::array<std::array<signed char, Count + 1>, 4> of{};
  [[nodiscard]] static constexpr std::size_t kind(vector_unit v) noexcept {
    return (v.registers >= 32 ? 2U : 0U) + (v.fma ? 1U : 0U);
  }
  [[nodiscard]] constexpr int operator()(vector_unit v, index_t i) const noexcept {
    return of[kind(v)][static_cast<std::size_t>(i)];
  }
};
/// Returns, for i = 1 … count(v), the largest number ≤ most(v) for which fits(v, i, number).
template <int Count>
[[nodiscard]] consteval largest_of<Count> largest_that_fit(auto most, auto fits) noexcept {
  largest_of<Count> largest;
  for (const vector_unit v : {vector_unit{0, 16, false}, {0, 16, true}, {0, 32, false}, {0, 32, true}})
    for (int i = 1; i <= Count; ++i)
      for (int candidate = 1; candidate <= most(v) && fits(v, i, candidate); ++candidate)
        largest.of[largest.kind(v)][static_cast<std::size_t>(i)] = static_cast<signed char>(candidate);
  return largest;
}
inline constexpr auto widest_tiles = largest_that_fit<14>(
    [](vector_unit) { return most_vectors; }, [](vector_unit v, int mr, int nv) { return tile_fits(v, mr, nv); });
inline constexpr auto tallest_tiles =
    largest_that_fit<most_vectors>(most_rows, [](vector_unit v, int nv, int mr) { return tile_fits(v, mr, nv); });
inline constexpr auto tallest_dots =
    largest_that_fit<8>([](vector_unit) { return most_dot_rows; },
                        [](vector_unit v, int columns, int rows) { return tile_fits(v, rows, columns); });
inline constexpr auto widest_dots =
    largest_that_fit<most_dot_rows>([](vector_unit v) { return static_cast<int>(dot_columns(v)); },
                                    [](vector_unit v, int rows, int columns) { return tile_fits(v, rows, columns); });
}  // namespace detail

/// Width in vectors of the widest tile of mr rows, and rows of the tallest of nv vectors.
[[nodiscard]] constexpr int widest_tile(vector_unit v, index_t mr) noexcept { return detail::widest_tiles(v, mr); }
[[nodiscard]] constexpr int tallest_tile(vector_unit v, int nv) noexcept { return detail::tallest_tiles(v, nv); }

/// Maximum rows of a dot_tile of `cols` columns, and maximum columns of one of `rows` rows.
[[nodiscard]] constexpr int dot_rows(vector_unit v, index_t cols) noexcept { return detail::tallest_dots(v, cols); }
[[nodiscard]] constexpr index_t dot_width(vector_unit v, index_t rows) noexcept { return detail::widest_dots(v, rows); }
/// Rows of a dot_tile for a C of m rows: close to the tile with the fewest loads.
[[nodiscard]] constexpr index_t dot_height(vector_unit v, index_t m) noexcept {
  const index_t squarest = v.registers >= 32 ? 6 : 3;
  return m <= squarest ? m : ceil_div(m, ceil_div(m, squarest));
}

/// Number of interleaved parts of a depth of k that keeps eight FMAs in flight, where adding the parts pays.
[[nodiscard]] constexpr int tile_slices(index_t mr, int nv, index_t k) noexcept {
  return k < 8 || nv > 2 || mr * nv >= 7 ? 1 : mr * nv >= 4 ? 2 : 4;
}

/// Whether packed A holds each value once per lane. SSE has no broadcast load: movss + shufps for every value would
/// cost as much as the multiplications; a replicated value is loaded straight into the register that the product
/// overwrites.
template <class T>
[[nodiscard]] constexpr bool replicates_a(vector_unit v) noexcept {
  return v.width_bytes == 16 && sizeof(T) == 4;
}
/// Number of copies of each value in packed A.
template <class T>
[[nodiscard]] constexpr index_t copies_of_a(vector_unit v) noexcept {
  return replicates_a<T>(v) ? v.lanes<T>() : 1;
}

/// Extent of the squares transposed in registers; and the minimum columns for which transpose() uses them: half a
/// square, with AVX.
template <class T>
[[nodiscard]] constexpr index_t transpose_edge(vector_unit v) noexcept {
  return v.width_bytes == 0 ? 1 : (std::min)(v.width_bytes, 32) / static_cast<index_t>(sizeof(T));
}
template <class T>
[[nodiscard]] constexpr index_t transpose_columns(vector_unit v) noexcept {
  return v.width_bytes >= 32 ? transpose_edge<T>(v) / 2 : transpose_edge<T>(v);
}
/// Rows that turn() writes for this many columns.
template <class T>
[[nodiscard]] constexpr index_t turned_rows(vector_unit v, index_t cols) noexcept {
  return round_up(cols, transpose_columns<T>(v));
}

/// Tiles of equal height: `count` of `rows` rows, from row `first` on.
struct equal_tiles {
  index_t first, rows, count;
};

/// Division of a block of rows into tiles: `tall` of `rows` rows, then the others with one row less.
struct tile_split {
  index_t tiles, rows, tall;
  [[nodiscard]] static constexpr tile_split of(index_t height, index_t most) noexcept {
    if (height <= most) return {1, height, 1};
    const index_t tiles = ceil_div(height, most), rows = ceil_div(height, tiles);
    return {tiles, rows, height - tiles * (rows - 1)};
  }
  [[nodiscard]] static constexpr tile_split of(index_t height, vector_unit v) noexcept {
    return of(height, index_t{tile_rows(v)});
  }

  [[nodiscard]] constexpr index_t height() const noexcept { return tall * rows + (tiles - tall) * (rows - 1); }

  /// The tiles from the top, as equal_tiles: one at a time, or all of one height.
  template <bool OneByOne>
  struct sequence {
    struct iterator {
      index_t first, rows, left, low;  // tiles of this height that are left; tiles with one row less that follow
      [[nodiscard]] constexpr equal_tiles operator*() const noexcept { return {first, rows, OneByOne ? 1 : left}; }
      constexpr iterator& operator++() noexcept {
        const index_t count = OneByOne ? 1 : left;
        first += count * rows, left -= count;
        if (left == 0) --rows, left = low, low = 0;
        return *this;
      }
      [[nodiscard]] constexpr bool operator==(std::default_sentinel_t) const noexcept { return left == 0; }
    };
    iterator from;
    [[nodiscard]] constexpr iterator begin() const noexcept { return from; }
    [[nodiscard]] static constexpr std::default_sentinel_t end() noexcept { return {}; }
  };
  [[nodiscard]] constexpr sequence<false> runs() const noexcept { return {{0, rows, tall, tiles - tall}}; }
  [[nodiscard]] constexpr sequence<true> one_by_one() const noexcept { return {{0, rows, tall, tiles - tall}}; }
};

/// Panels of equal width: `count` of nv vectors, from column `first` on. The last vector of each has `last` columns,
/// from column `last_at` of the panel on.
struct equal_panels {
  index_t first, count;
  int nv;
  index_t last_at, last;
};

/// Columns [0, n) in panels of nv vectors. Only the last panel may be ragged: its last vector overlaps the previous one
/// or, if n < lanes, has fewer columns. Requires: nv ≥ 2 unless n ≤ lanes.
class column_panels {
 public:
  constexpr column_panels(index_t n, int nv, index_t lanes) noexcept {
    if (n <= lanes) {
      add({0, 1, 1, 0, n});
      return;
    }
    const index_t width = nv * lanes;
    index_t panels = n < width ? 0 : n < 2 * width ? 1 : n / width, rest = n - panels * width;
    if (rest > 0 && rest < lanes && panels > 0) --panels, rest += width;  // too narrow to overlap within itself
    if (panels > 0) add({0, panels, nv, width - lanes, lanes});
    index_t j = panels * width;
    if (rest > width) {  // one vector more than a panel: that vector first
      add({j, 1, 1, 0, lanes});
      j += lanes, rest -= lanes;
    }
    if (rest > 0) add({j, 1, static_cast<int>(ceil_div(rest, lanes)), rest - lanes, lanes});
  }
  [[nodiscard]] constexpr const equal_panels* begin() const noexcept { return all_.data(); }
  [[nodiscard]] constexpr const equal_panels* end() const noexcept { return all_.data() + count_; }

 private:
  constexpr void add(const equal_panels& one) noexcept { all_[count_++] = one; }

  std::array<equal_panels, 3> all_{};
  std::size_t count_ = 0;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
