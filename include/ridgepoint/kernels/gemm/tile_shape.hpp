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
struct gemm_tile_shape {
  static constexpr int vectors = 2;
  static constexpr int rows = simd::native::registers >= 32 ? 14 : 6;
};

/// Columns of a packed panel.
template <class T>
inline constexpr index_t panel_width = gemm_tile_shape::vectors* simd::lanes<T>;

/// Elements in a cache line.
template <class T>
inline constexpr index_t line_elements = 64 / static_cast<index_t>(sizeof(T));

/// Most vectors a register tile has in a row, and most rows.
inline constexpr int most_vectors = 6, most_rows = simd::native::registers >= 32 ? 14 : 12;

/// Whether slices·mr·nv accumulators fit the registers beside the shorter side of the tile, one value of the other and,
/// without FMA, a product.
[[nodiscard]] constexpr bool tile_fits(int mr, int nv, int slices = 1) noexcept {
  return slices * mr * nv + std::min(mr, nv) + (simd::native::fma ? 1 : 2) <= simd::native::registers;
}

/// Deepest product that gemm_outer() takes.
inline constexpr index_t outer_depth = 4;

/// Most columns one dot_tile takes; wider B is cut into equal groups.
inline constexpr index_t dot_columns = simd::native::registers >= 32 ? 8 : 6;

/// The widest tile of mr rows, in vectors, and the tallest of nv vectors.
[[nodiscard]] constexpr int widest_tile(index_t mr) noexcept {
  constexpr auto widest = [] {
    std::array<signed char, most_rows + 1> nv{};
    for (int rows = 1; rows <= most_rows; ++rows)
      while (nv[static_cast<std::size_t>(rows)] < most_vectors &&
             tile_fits(rows, nv[static_cast<std::size_t>(rows)] + 1))
        ++nv[static_cast<std::size_t>(rows)];
    return nv;
  }();
  return widest[static_cast<std::size_t>(mr)];
}
[[nodiscard]] constexpr int tallest_tile(int nv) noexcept {
  constexpr auto tallest = [] {
    std::array<signed char, most_vectors + 1> mr{};
    for (int vectors = 1; vectors <= most_vectors; ++vectors)
      while (mr[static_cast<std::size_t>(vectors)] < most_rows &&
             tile_fits(mr[static_cast<std::size_t>(vectors)] + 1, vectors))
        ++mr[static_cast<std::size_t>(vectors)];
    return mr;
  }();
  return tallest[static_cast<std::size_t>(nv)];
}

/// Interleaved parts the depth is summed in, so that eight FMAs are in flight.
[[nodiscard]] constexpr int tile_slices(int mr, int nv) noexcept { return mr * nv >= 7 ? 1 : mr * nv >= 4 ? 2 : 4; }

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
