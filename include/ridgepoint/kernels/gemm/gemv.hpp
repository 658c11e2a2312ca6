// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/simd/batch.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// y[0, n) += Σ_{q < Rows} x[q]·b_q for Rows adjacent rows b_q of B, contiguous in j.
template <class T, int Rows>
RIDGEPOINT_NOINLINE void gemv_rows(index_t n, const T* x, const T* b, index_t ldb, T* y) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  vec xq[Rows];
  RIDGEPOINT_UNROLL
  for (int q = 0; q < Rows; ++q) xq[q] = vec(x[q]);
  index_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    vec y0 = simd::load(y + j), y1 = simd::load(y + j + lanes);
    RIDGEPOINT_UNROLL
    for (int q = 0; q < Rows; ++q) {
      y0 = simd::fma(xq[q], simd::load(b + q * ldb + j), y0);
      y1 = simd::fma(xq[q], simd::load(b + q * ldb + j + lanes), y1);
    }
    simd::store(y + j, y0);
    simd::store(y + j + lanes, y1);
  }
  for (; j < n; j += lanes) {
    const index_t valid = (std::min)(lanes, n - j);
    vec y0 = simd::load_partial(y + j, valid);
    RIDGEPOINT_UNROLL
    for (int q = 0; q < Rows; ++q) y0 = simd::fma(xq[q], simd::load_partial(b + q * ldb + j, valid), y0);
    simd::store_partial(y + j, y0, valid);
  }
}

/// y ← x·B for a row vector x (k) and row-major B (k×n).
///
/// Bound by reading B once: eight rows stream in parallel, long enough for the hardware's prefetchers, and y stays
/// in L1 (a chunk of 4096 values), read and written once per eight rows. Work: 2·n·k FLOP.
template <class T>
void gemv(const T* x, matrix_view<const T> b, T* y) noexcept {
  constexpr index_t chunk = 4096, rows = 8;
  for (index_t j = 0; j < b.cols; j += chunk) {
    const index_t n = (std::min)(chunk, b.cols - j);
    std::fill_n(y + j, n, T(0));
    index_t p = 0;
    for (; p + rows <= b.rows; p += rows) gemv_rows<T, rows>(n, x + p, &b(p, j), b.row_stride, y + j);
    for (; p < b.rows; ++p) gemv_rows<T, 1>(n, x + p, &b(p, j), b.row_stride, y + j);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
