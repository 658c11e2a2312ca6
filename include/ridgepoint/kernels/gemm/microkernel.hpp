// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// What happens to a register tile when it leaves the registers: c ← f(α·acc + β·c + bias).
template <class T>
struct tile_epilogue {
  T alpha = T(1), beta = T(0);
  const T* bias = nullptr;                                     // one value per column of the tile, or none
  bool relu = false;
};

/// Where a column of register tiles finds its operands. Strides are in elements; A may be row-major, transposed or
/// packed: element (i, p) of a tile is a[i·a_row + p·a_step].
template <class T>
struct tile_operands {
  index_t tiles, k;
  const T* a;
  index_t a_tile, a_row, a_step;                               // a_tile: from one tile of A to the next
  const T* b;                                                  // row p at b + p·b_step, nr values each
  index_t b_step;
  T* b_copy = nullptr;                                         // where a copying tile leaves B, nr values per row
  T* c;                                                        // tiles follow each other down the rows of C
  index_t ldc;
  index_t last;  // columns stored by the last vector of a row: 1 … lanes
};

/// What a tile does beside its arithmetic: leave the panel of B it reads packed for the tiles below, or fetch the next
/// tile's rows of A, which come from beyond L2 and are too short for the hardware's prefetchers.
enum class tile_extra { none, copy_b, fetch_a };

/// One value of A in every lane.
template <class T>
RIDGEPOINT_INLINE simd::batch<T> value_of_a(const T* a) noexcept {
  if constexpr (replicates_a<T>) return simd::load(a);
  else return simd::batch<T>(*a);
}

/// A column of register tiles of GEMM, each C[mr×nr] ← f(α·A[mr×k]·B[k×nr] + β·C + bias), nr = Nv·lanes.
///
/// Each step broadcasts mr values of A and loads Nv vectors of B for mr·Nv FMAs; two FMA pipes of latency four need
/// mr·Nv ≥ 8 of them in flight.
/// Work: 2·tiles·mr·nr·k FLOP. Requires: all nr columns of B readable; C distinct from A and B.
template <class T, int Mr, int Nv, tile_extra Extra>
RIDGEPOINT_NOINLINE void gemm_tile(const tile_operands<T>& t, const tile_epilogue<T>& e) noexcept {
  using vec = simd::batch<T>;
  constexpr int lanes = simd::lanes<T>;
  static_assert(Mr * Nv + Nv + 1 <= simd::native::registers || Nv * Mr == 1, "register tile spills: shrink Mr or Nv");

  // Strides live in locals: a store through a T* might alias the operands' own fields and force their reload each step.
  const index_t tiles = t.tiles, k = t.k, a_tile = t.a_tile, a_row = t.a_row, a_step = t.a_step, b_step = t.b_step,
                ldc = t.ldc, last = t.last;
  const T* a_first = t.a;
  const T* const b_first = t.b;
  T* c = t.c;
  const vec alpha(e.alpha), beta(e.beta), zero(T(0));
  const bool reads_c = e.beta != T(0), relu = e.relu;
  const T* const bias = e.bias;
  const bool plain = !relu && bias == nullptr && last == lanes;

  [[maybe_unused]] const index_t ahead_row = ceil_div(k, Mr);  // steps in which a row is fetched
  for (index_t tile = 0; tile < tiles; ++tile, a_first += a_tile, c += Mr * ldc) {
    RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i) __builtin_prefetch(c + i * ldc, 1);
    vec acc[Mr][Nv];
    RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i)
      RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) acc[i][j] = vec(T(0));

    const T* a = a_first;
    const T* b = b_first;
    T* copy = t.b_copy;
    [[maybe_unused]] const T* ahead = a_first + a_tile;
    [[maybe_unused]] index_t ahead_left = ahead_row;
    RIDGEPOINT_UNROLL_DEPTH for (index_t p = 0; p < k; ++p) {  // acc += a_p · b_p
      vec bp[Nv];
      RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) bp[j] = simd::load(b + j * lanes);
      if constexpr (Extra == tile_extra::copy_b) {
        __builtin_prefetch(b + 16 * b_step);                   // rows of B are often pages apart: no hardware prefetch
        RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) simd::store(copy + j * lanes, bp[j]);
        copy += Nv * lanes;
      }
      RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i) {
        const vec ai = value_of_a<T>(a + i * a_row);
        RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) acc[i][j] = simd::fma(ai, bp[j], acc[i][j]);
      }
      a += a_step;
      b += b_step;
      if constexpr (Extra == tile_extra::fetch_a) {            // mr values of the next tile a step, row after row
        __builtin_prefetch(ahead);
        ahead += Mr;
        if (--ahead_left == 0) ahead_left = ahead_row, ahead += a_row - ahead_row * Mr;
      }
    }

    if (plain && !reads_c) {
      RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i)
        RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) simd::store(c + i * ldc + j * lanes, alpha * acc[i][j]);
      continue;
    }
    if (plain) {
      RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i)
        RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) {
          T* const cij = c + i * ldc + j * lanes;
          simd::store(cij, simd::fma(beta, simd::load(cij), alpha * acc[i][j]));
        }
      continue;
    }
    RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) {
      const index_t valid = j == Nv - 1 ? last : lanes;
      const bool partial = valid < lanes;
      const vec bj = bias == nullptr ? zero
                     : partial       ? simd::load_partial(bias + j * lanes, valid)
                                     : simd::load(bias + j * lanes);
      RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i) {
        T* const cij = c + i * ldc + j * lanes;
        vec x = alpha * acc[i][j] + bj;
        if (reads_c) x = simd::fma(beta, partial ? simd::load_partial(cij, valid) : simd::load(cij), x);
        if (relu) x = simd::max(x, zero);
        if (partial) simd::store_partial(cij, x, valid);
        else simd::store(cij, x);
      }
    }
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
