// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/array/pack.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/kernels/probe/keep.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Partial sums of one fold: tile(i, j) ← ((0 + a(0, i)·b(0, j)) + a(1, i)·b(1, j)) + … for depth terms.
///
/// All lanes add in the array's order. Work: 2·Mr·nr·depth FLOP as a multiplication and an addition each.
/// Layout: a packed as depth columns of Mr values, b as depth rows of nr = Nv·lanes values, tile Mr×nr.
template <int Mr, int Nv>
RIDGEPOINT_NOINLINE void fold_tile(index_t depth, const float* a, const float* b, float* tile) noexcept {
  using vec = simd::batch<float>;
  constexpr int lanes = simd::lanes<float>;
  vec sum[Mr][Nv];
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Mr; ++i) {
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Nv; ++j) sum[i][j] = vec(0.0F);
  }
  for (index_t p = 0; p < depth; ++p, a += Mr, b += Nv * lanes) {
    vec bp[Nv];
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Nv; ++j) bp[j] = simd::load(b + j * lanes);
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      const vec ai(a[i]);
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Nv; ++j) {
        vec product = ai * bp[j];
        keep<float>(product);  // else compilers may fuse it with the addition
        sum[i][j] = sum[i][j] + product;
      }
    }
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Mr; ++i) {
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Nv; ++j) simd::store(tile + (i * Nv + j) * lanes, sum[i][j]);
  }
}

/// Whether a fold is the first of a sum or a further one.
enum class fold { first, further };

/// c ← tile, or c ← c + tile: the operation of the accumulators below the array. int32 sums wrap.
inline void accumulate_tile(const float* tile, index_t rows, index_t cols, index_t ld, fold which, float* c,
                            index_t ldc) noexcept {
  for (index_t i = 0; i < rows; ++i, tile += ld, c += ldc)
    for (index_t j = 0; j < cols; ++j) c[j] = which == fold::first ? tile[j] : c[j] + tile[j];
}
inline void accumulate_tile(const float* tile, index_t rows, index_t cols, index_t ld, fold which, std::int32_t* c,
                            index_t ldc) noexcept {
  for (index_t i = 0; i < rows; ++i, tile += ld, c += ldc)
    for (index_t j = 0; j < cols; ++j) {
      const auto added = static_cast<std::uint32_t>(static_cast<std::int32_t>(tile[j]));  // exact: |tile| ≤ 2²⁴
      c[j] = static_cast<std::int32_t>(which == fold::first ? added : static_cast<std::uint32_t>(c[j]) + added);
    }
}

template <array_format Format>
void array_block<Format>::run(const array_gemm_args<Format>& g, const float* b, float* a) noexcept {
  constexpr int mr = tile_rows(native_unit);
  constexpr index_t nr = panel_width<float>(native_unit);
  const index_t height = g.c.rows, width = g.c.cols, k = g.a.cols;
  alignas(alignment_bytes) float tile[mr * nr];
  for (index_t i = 0; i < height; i += mr)
    array_pack<Format>::run(g.a.block(i, 0, std::min<index_t>(mr, height - i), k).transposed(), mr, a + i * k);
  for (index_t p = 0; p < k; p += g.depth) {
    const index_t depth = (std::min)(g.depth, k - p);
    for (index_t j = 0; j < width; j += nr)
      for (index_t i = 0; i < height; i += mr) {
        fold_tile<mr, tile_vectors>(depth, a + i * k + p * mr, b + j * k + p * nr, tile);
        accumulate_tile(tile, std::min<index_t>(mr, height - i), (std::min)(nr, width - j), nr,
                        p == 0 && !g.accumulate ? fold::first : fold::further, &g.c(i, j), g.c.row_stride);
      }
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
