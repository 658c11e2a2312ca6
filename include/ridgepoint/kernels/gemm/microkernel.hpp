// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>
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

/// Where a register tile finds its operands. Strides are in elements; A may be row-major, transposed or packed, since
/// element (i, p) is a[i·a_row + p·a_step].
template <class T>
struct tile_operands {
  index_t k;
  const T* a;
  index_t a_row, a_step;
  const T* b;                                                  // row p at b + p·b_step, nr values each
  index_t b_step;
  T* b_copy = nullptr;                                         // where a copying tile leaves B, nr values per row
  T* c;
  index_t ldc;
  index_t last;                                                // columns stored by the last vector of a row: 1 … lanes
};

/// Register tile of GEMM: C[mr×nr] ← f(α·A[mr×k]·B[k×nr] + β·C + bias), nr = Nv·lanes.
///
/// Each step broadcasts mr values of A and loads Nv vectors of B for mr·Nv FMAs; two FMA pipes of latency four need
/// mr·Nv ≥ 8 of them in flight. CopyB also writes the rows of B it reads next to each other: the first tile of a panel
/// packs it on the way, and the stores hide behind the FMAs.
/// Work: 2·mr·nr·k FLOP. Requires: all nr columns of B readable; C distinct from A and B.
template <class T, int Mr, int Nv, bool CopyB>
RIDGEPOINT_NOINLINE void gemm_tile(const tile_operands<T>& t, const tile_epilogue<T>& e) noexcept {
  using vec = simd::batch<T>;
  constexpr int lanes = simd::lanes<T>;
  static_assert(Mr * Nv + Nv + 1 <= simd::native::registers || Nv * Mr == 1, "register tile spills: shrink Mr or Nv");

  vec acc[Mr][Nv];
  RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i)
    RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) acc[i][j] = vec(T(0));
  RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i) __builtin_prefetch(t.c + i * t.ldc, 1);

  const T* a = t.a;
  const T* b = t.b;
  T* copy = t.b_copy;
  for (index_t p = 0; p < t.k; ++p) {                          // acc += a_p · b_p
    vec bp[Nv];
    RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) bp[j] = simd::load(b + j * lanes);
    if constexpr (CopyB) {
      __builtin_prefetch(b + 16 * t.b_step);                   // rows of B are often pages apart: no hardware prefetch
      RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) simd::store(copy + j * lanes, bp[j]);
      copy += Nv * lanes;
    }
    RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i) {
      const vec ai(a[i * t.a_row]);
      RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) acc[i][j] = simd::fma(ai, bp[j], acc[i][j]);
    }
    a += t.a_step;
    b += t.b_step;
  }

  const vec alpha(e.alpha), beta(e.beta), zero(T(0));
  const bool reads_c = e.beta != T(0);
  RIDGEPOINT_UNROLL for (int j = 0; j < Nv; ++j) {
    const bool partial = j == Nv - 1 && t.last < lanes;
    const vec bias = e.bias == nullptr ? zero : partial ? simd::load_partial(e.bias + j * lanes, t.last) : simd::load(e.bias + j * lanes);
    RIDGEPOINT_UNROLL for (int i = 0; i < Mr; ++i) {
      T* c = t.c + i * t.ldc + j * lanes;
      vec x = simd::fma(alpha, acc[i][j], bias);
      if (reads_c) x = simd::fma(beta, partial ? simd::load_partial(c, t.last) : simd::load(c), x);
      if (e.relu) x = simd::max(x, zero);
      if (partial) simd::store_partial(c, x, t.last);
      else simd::store(c, x);
    }
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
