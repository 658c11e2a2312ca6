// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/simd/isa.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Register tile of GEMM over packed panels: rows by vectors. As many accumulators as leave room for one row of B and
/// one value of A.
///   16 registers: 6×2 is 12 accumulators + 2 + 1. 32 registers: 14×2 is 28 + 2 + 1.
template <class Isa>
struct tile_shape_of {
  static constexpr int vectors = 2;
  static constexpr int rows = Isa::registers >= 32 ? 14 : 6;
};
using gemm_tile_shape = tile_shape_of<simd::native>;

/// Columns of a packed panel.
template <class T>
inline constexpr index_t panel_width = gemm_tile_shape::vectors* simd::lanes<T>;

/// Elements in a cache line.
template <class T>
inline constexpr index_t line_elements = 64 / static_cast<index_t>(sizeof(T));

/// Elements from one row to the next, for rows of so many that are read side by side: those that begin in one set of L1
/// evict each other.
template <class T>
[[nodiscard]] constexpr index_t row_distance(index_t elements) noexcept {
  return elements * static_cast<index_t>(sizeof(T)) % 2048 == 0 ? elements + line_elements<T> : elements;
}

/// Most vectors a register tile has in a row, and most rows.
inline constexpr int most_vectors = 6, most_rows = simd::native::registers >= 32 ? 14 : 12;

/// Whether slices·mr·nv accumulators fit the registers beside the shorter side of the tile, one value of the other and,
/// without FMA, a product.
[[nodiscard]] constexpr bool tile_fits(int mr, int nv, int slices = 1) noexcept {
  return slices * mr * nv + std::min(mr, nv) + (simd::native::fma ? 1 : 2) <= simd::native::registers;
}

/// Deepest product that gemm_outer() takes.
inline constexpr index_t outer_depth = 4;

namespace detail {
/// [i]: the largest number ≤ Most for which fits(i, number), for i of 1 … Count.
template <int Count, int Most>
[[nodiscard]] consteval auto largest_that_fit(auto fits) noexcept {
  std::array<signed char, Count + 1> largest{};
  for (int i = 1; i <= Count; ++i)
    for (int candidate = 1; candidate <= Most && fits(i, candidate); ++candidate)
      largest[static_cast<std::size_t>(i)] = static_cast<signed char>(candidate);
  return largest;
}
}  // namespace detail

/// The widest tile of mr rows, in vectors, and the tallest of nv vectors.
[[nodiscard]] constexpr int widest_tile(index_t mr) noexcept {
  constexpr auto widest =
      detail::largest_that_fit<most_rows, most_vectors>([](int rows, int nv) { return tile_fits(rows, nv); });
  return widest[static_cast<std::size_t>(mr)];
}
[[nodiscard]] constexpr int tallest_tile(int nv) noexcept {
  constexpr auto tallest =
      detail::largest_that_fit<most_vectors, most_rows>([](int vectors, int mr) { return tile_fits(mr, vectors); });
  return tallest[static_cast<std::size_t>(nv)];
}

/// Most columns one dot_tile takes; wider B is cut into equal groups.
inline constexpr index_t dot_columns = simd::native::registers >= 32 ? 8 : 6;

/// Most rows one dot_tile takes, of `cols` columns and of one, and columns of the widest of `rows` rows.
inline constexpr int most_dot_rows = 8;
[[nodiscard]] constexpr int dot_rows(index_t cols) noexcept {
  constexpr auto tallest = detail::largest_that_fit<static_cast<int>(dot_columns), most_dot_rows>(
      [](int columns, int rows) { return tile_fits(rows, columns); });
  return tallest[static_cast<std::size_t>(cols)];
}
[[nodiscard]] constexpr index_t dot_width(index_t rows) noexcept {
  constexpr auto widest = detail::largest_that_fit<most_dot_rows, static_cast<int>(dot_columns)>(
      [](int height, int columns) { return tile_fits(height, columns); });
  return widest[static_cast<std::size_t>(rows)];
}
/// Rows a dot_tile has in a C of m: about those of the tile that loads least.
[[nodiscard]] constexpr index_t dot_height(index_t m) noexcept {
  constexpr index_t squarest = simd::native::registers >= 32 ? 6 : 3;
  return m <= squarest ? m : ceil_div(m, ceil_div(m, squarest));
}

/// Interleaved parts a depth of k is summed in, so that eight FMAs are in flight: where that is worth their sum.
[[nodiscard]] constexpr int tile_slices(index_t mr, int nv, index_t k) noexcept {
  return k < 8 || nv > 2 || mr * nv >= 7 ? 1 : mr * nv >= 4 ? 2 : 4;
}

/// Whether packed A holds each value once per lane. SSE has no broadcast load: movss + shufps for every value would
/// cost as much as the multiplications; a replicated value is loaded straight into the register that the product
/// overwrites.
template <class T>
inline constexpr bool replicates_a = simd::native::width_bytes == 16 && sizeof(T) == 4;

/// How a block of rows falls into tiles: `tall` of `rows` rows, then the others with one row less.
struct tile_split {
  index_t tiles, rows, tall;
  [[nodiscard]] static constexpr tile_split of(index_t height, index_t most = gemm_tile_shape::rows) noexcept {
    if (height <= most) return {1, height, 1};
    const index_t tiles = ceil_div(height, most), rows = ceil_div(height, tiles);
    return {tiles, rows, height - tiles * (rows - 1)};
  }

  [[nodiscard]] constexpr index_t height() const noexcept { return tall * rows + (tiles - tall) * (rows - 1); }
  /// run(i, mr, count): `count` tiles of mr rows from row i on.
  template <class Run>
  RIDGEPOINT_INLINE void for_runs(Run&& run) const {
    if (tall > 0) run(index_t{0}, rows, tall);
    if (tiles > tall) run(tall * rows, rows - 1, tiles - tall);
  }
  /// tile(i, mr): the tile of mr rows from row i on.
  template <class Tile>
  RIDGEPOINT_INLINE void for_tiles(Tile&& tile) const {
    for_runs([&](index_t i, index_t mr, index_t count) {
      for (; count > 0; --count, i += mr) tile(i, mr);
    });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
