// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/simd/batch.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// C ← α·A·B for Rows rows of A and a depth of K: the values of A stay in registers, and rows of C are written
/// contiguously. A register tile would write a C beyond the caches in pieces of one or two lines. Work: 2·Rows·n·K
/// FLOP.
template <class T, int Rows, int K>
RIDGEPOINT_NOINLINE void outer_rows(T alpha, matrix_view<const T> a, matrix_view<const T> b, T* c,
                                    index_t ldc) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  const index_t n = b.cols;
  vec ap[Rows][K];
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Rows; ++i) {
    RIDGEPOINT_UNROLL
    for (int p = 0; p < K; ++p) ap[i][p] = vec(a(i, p));
  }
  const vec factor(alpha);
  const bool scaled = !exactly(alpha, T(1));
  const auto column = [&](index_t j, auto load, auto store) RIDGEPOINT_INLINE_LAMBDA {
    vec bp[K];
    RIDGEPOINT_UNROLL
    for (int p = 0; p < K; ++p) bp[p] = load(b.data + p * b.row_stride + j);
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) {
      vec sum = ap[i][0] * bp[0];
      RIDGEPOINT_UNROLL
      for (int p = 1; p < K; ++p) sum = simd::fma(ap[i][p], bp[p], sum);
      store(c + i * ldc + j, scaled ? factor * sum : sum);
    }
  };
  const auto load = [](const T* p) RIDGEPOINT_INLINE_LAMBDA { return simd::load(p); };
  const auto store = [](T* p, vec x) RIDGEPOINT_INLINE_LAMBDA { simd::store(p, x); };
  index_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) {
      RIDGEPOINT_UNROLL
      for (index_t q = 0; q < 2 * lanes; q += line_elements<T>)
        __builtin_prefetch(c + i * ldc + j + q + 4 * line_elements<T>, 1);
    }
    column(j, load, store), column(j + lanes, load, store);
  }
  for (; j + lanes <= n; j += lanes) column(j, load, store);
  if (j == n) return;
  // The last full register: columns that are stored twice get equal results.
  if (n >= lanes && !stores_parts(native_unit)) return column(n - lanes, load, store);
  const index_t rest = n - j;
  column(
      j, [&](const T* p) { return simd::load_partial(p, rest); },
      [&](T* p, vec x) { simd::store_partial(p, x, rest); });
}

/// C ← α·A·B for k ≤ outer_depth, four rows at a time. Requires: b and c have unit column stride.
template <class T>
void gemm_outer(T alpha, matrix_view<const T> a, matrix_view<const T> b, matrix_view<T> c) noexcept {
  with_constant<1, outer_depth>(a.cols, [&](auto depth) {
    constexpr int k = static_cast<int>(depth);
    constexpr index_t rows = 4;
    index_t i = 0;
    for (; i + rows <= c.rows; i += rows)
      outer_rows<T, rows, k>(alpha, a.block(i, 0, rows, k), b, &c(i, 0), c.row_stride);
    if (i == c.rows) return;
    with_constant<1, 3>(static_cast<int>(c.rows - i), [&](auto rest) {
      outer_rows<T, rest, k>(alpha, a.block(i, 0, rest, k), b, &c(i, 0), c.row_stride);
    });
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
