// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/simd/batch.hpp>

/// \file
/// One row of C: a row vector times a row-major matrix.
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

/// Maximum width of a part of a small row, in vectors.
inline constexpr int most_row_vectors = 8;

/// c ← relu(α·x·B + β·c + bias) for `count` times Nv vectors of columns from j on, in registers. The depth is summed in
/// interleaved parts, so that eight FMAs are in flight. The last vector overlaps the one before, or is masked if it is
/// the only one.
template <class T, int Nv>
RIDGEPOINT_NOINLINE void row_parts(const gemm_args<T>& g, index_t j, index_t count) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  constexpr int parts = Nv > 4 ? 1 : Nv > 2 ? 2 : 4;
  const index_t k = g.a.cols, x_step = g.a.col_stride, ldb = g.b.row_stride;
  for (; count > 0; --count, j += Nv * lanes) {
    const index_t n = (std::min)(Nv * lanes, g.c.cols - j), last = (std::min)(n, lanes), last_at = n - last;
    const T *x = g.a.data, *b = g.b.data + j;
    const auto column = [&](int v) RIDGEPOINT_INLINE_LAMBDA { return v == Nv - 1 ? last_at : v * lanes; };
    const auto load = [&](const T* from, int v) RIDGEPOINT_INLINE_LAMBDA {
      if constexpr (Nv == 1) return simd::load_partial(from, last);
      else return simd::load(from + column(v));
    };
    vec sum[parts][Nv];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < parts; ++s) {
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) sum[s][v] = vec(T(0));
    }
    index_t p = 0;
    const auto step = [&](vec(&to)[Nv]) RIDGEPOINT_INLINE_LAMBDA {
      const vec xp(*x);
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) to[v] = simd::fma(xp, load(b, v), to[v]);
      x += x_step, b += ldb;
    };
    for (; p + parts <= k; p += parts) {
      RIDGEPOINT_UNROLL
      for (int s = 0; s < parts; ++s) step(sum[s]);
    }
    RIDGEPOINT_UNROLL
    for (int s = 0; s < parts - 1; ++s) {
      if (p + s < k) step(sum[s]);
    }
    RIDGEPOINT_UNROLL
    for (int s = parts / 2; s > 0; s /= 2) {
      RIDGEPOINT_UNROLL
      for (int q = 0; q < s; ++q) {
        RIDGEPOINT_UNROLL
        for (int v = 0; v < Nv; ++v) sum[q][v] = sum[q][v] + sum[q + s][v];
      }
    }
    T* const c = g.c.data + j;
    const gemm_options<T>& o = g.options;
    RIDGEPOINT_UNROLL
    for (int v = 0; v < Nv; ++v) sum[0][v] = vec(o.alpha) * sum[0][v];
    if (!exactly(o.beta, T(0))) {  // all is read before any of it is written
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) sum[0][v] = simd::fma(vec(o.beta), load(c, v), sum[0][v]);
    }
    if (o.bias != nullptr) {
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) sum[0][v] = sum[0][v] + load(o.bias + j, v);
    }
    if (o.act == activation::relu) {
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) sum[0][v] = (simd::max)(sum[0][v], vec(T(0)));
    }
    RIDGEPOINT_UNROLL
    for (int v = 0; v < Nv; ++v) {
      if constexpr (Nv == 1) simd::store_partial(c, sum[0][v], last);
      else simd::store(c + column(v), sum[0][v]);
    }
  }
}

/// Computes a row of C whose B stays in the caches: in parts of a few vectors, each along the whole depth.
/// Requires: one row; B and C of adjacent columns.
template <class T>
void small_row(const gemm_args<T>& g) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  static constexpr auto of_width = []<int... V>(std::integer_sequence<int, V...>) {
    return std::array{&row_parts<T, V + 1>...};
  }
  (std::make_integer_sequence<int, most_row_vectors>{});
  const index_t all = ceil_div(g.c.cols, lanes);
  tile_split::of(all, index_t{most_row_vectors}).for_runs([&](index_t v, index_t vectors, index_t count) {
    of_width[static_cast<std::size_t>(vectors - 1)](g, v * lanes, count);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
