// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/probe/keep.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Register tile of an array product: as gemm_tile_shape, but that every product takes a register of its own, since it
/// is rounded before it is added.
///   16 registers: 6×2 is 12 sums + 2 of B + 1 of A + 1 product. 32 registers: 14×2 is 28 + 2 + 1 + 1.
struct array_tile_shape {
  static constexpr int vectors = 2;
  static constexpr int rows = simd::native::registers >= 32 ? 14 : 6;
};

/// Partial sums of one fold: tile(i, j) ← ((0 + a(0, i)·b(0, j)) + a(1, i)·b(1, j)) + … for depth terms.
///
/// All lanes add in the same order, the array's. Work: 2·Mr·nr·depth FLOP as a multiplication and an addition each.
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

/// Whether a fold starts a sum or joins one.
enum class fold { first, further };

/// c ← tile, or c ← c + tile: what the accumulators below the array do with a fold. int32 sums wrap.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
