// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// dst(j, i) ← src(i, j). Rows of `src` are contiguous, rows of `dst` have stride dst_ld.
template <class T>
void transpose(const T* src, index_t src_ld, index_t rows, index_t cols, T* dst, index_t dst_ld) noexcept {
  constexpr index_t edge = simd::transpose_edge<T>;
  static_assert(edge == transpose_edge<T>(native_unit));
  index_t i = 0;
  for (; i + edge <= rows; i += edge) {
    index_t j = 0;
    for (; j + edge <= cols; j += edge)
      simd::transpose_square(src + i * src_ld + j, src_ld, dst + j * dst_ld + i, dst_ld);
    if constexpr (constexpr index_t half = transpose_columns<T>(native_unit); half < edge)
      if (j + half <= cols) {
        simd::transpose_square<T, true>(src + i * src_ld + j, src_ld, dst + j * dst_ld + i, dst_ld);
        j += half;
      }
    for (; j < cols; ++j)
      for (index_t q = 0; q < edge; ++q) dst[j * dst_ld + i + q] = src[(i + q) * src_ld + j];
  }
  for (; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j) dst[j * dst_ld + i] = src[i * src_ld + j];
}

/// Transposes all of `src`, whose rows are contiguous, into memory for turned_rows(src.cols) rows. Squares may read the
/// next rows of `src`, if any; their surplus is never read.
template <class T>
void turn(matrix_view<const T> src, T* dst, index_t dst_ld) noexcept {
  constexpr index_t columns = transpose_columns<T>(native_unit), edge = simd::transpose_edge<T>;
  const index_t cols = round_up(src.cols, columns), ld = src.row_stride;
  const index_t whole =
      ld == src.cols ? std::max<index_t>(0, src.rows - ceil_div(cols - src.cols, ld)) / edge * edge : 0;
  transpose(src.data, ld, whole, cols, dst, dst_ld);
  transpose(&src(whole, 0), ld, src.rows - whole, src.cols, dst + whole, dst_ld);
}
/// Packs one panel of B, up to nr columns, in the tiles' order: row p at dst + p·nr, missing columns zero.
template <class T>
void pack_b_panel(matrix_view<const T> b, T* dst) noexcept {
  constexpr index_t lanes = simd::lanes<T>, nr = panel_width<T>(native_unit);
  const index_t k = b.rows, width = b.cols;
  if (b.col_stride == 1 && width == nr) {
    const T* src = b.data;
    for (index_t p = 0; p < k; ++p, src += b.row_stride, dst += nr) {
      RIDGEPOINT_UNROLL
      for (index_t j = 0; j < nr; j += lanes) simd::store(dst + j, simd::load(src + j));
      RIDGEPOINT_UNROLL
      for (index_t j = 0; j < nr; j += line_elements<T>)
        __builtin_prefetch(src + 4 * nr + j);  // a row continues in later panels
    }
    return;
  }
  if (b.col_stride == 1) {
    for (index_t p = 0; p < k; ++p)
      for (index_t j = 0; j < nr; j += lanes) {
        const T* src = b.data + p * b.row_stride + j;
        const index_t valid = width - j;
        simd::store(dst + p * nr + j, valid >= lanes ? simd::load(src)
                                      : valid > 0    ? simd::load_partial(src, valid)
                                                     : simd::batch<T>(T(0)));
      }
    return;
  }
  if (b.row_stride == 1) {
    transpose(b.data, b.col_stride, width, k, dst, nr);
  } else {
    for (index_t p = 0; p < k; ++p)
      for (index_t j = 0; j < width; ++j) dst[p * nr + j] = b(p, j);
  }
  if (width < nr)
    for (index_t p = 0; p < k; ++p)
      for (index_t j = width; j < nr; ++j) dst[p * nr + j] = T(0);
}

/// Packs a k×n block of B in panels of nr columns: panel q at dst + q·nr·k. A row-major B is read a few rows at a time
/// along all panels: panel by panel, every row would be on another page.
template <class T>
RIDGEPOINT_NOINLINE void pack_b_panels(matrix_view<const T> b, T* dst) noexcept {
  constexpr index_t nr = panel_width<T>(native_unit);
  const index_t k = b.rows, n = b.cols, rows = b.col_stride == 1 ? 8 : k;
  for (index_t p = 0; p < k; p += rows)
    for (index_t j = 0; j < n; j += nr)
      pack_b_panel(b.block(p, j, (std::min)(rows, k - p), (std::min)(nr, n - j)), dst + j * k + p * nr);
}

/// Packs a tile of mr rows of A as dst[p·mr + i], whatever its strides; repeats each value `lanes` times if
/// replicates_a.
///
/// Moves full registers, transposed if A is row-major; they overlap the next row of dst, which then overwrites the
/// surplus. Requires: dst writable for one register beyond mr·k values.
template <class T>
RIDGEPOINT_NOINLINE void pack_a_tile(matrix_view<const T> a, index_t rows_below, T* dst) noexcept {
  constexpr index_t lanes = simd::lanes<T>, edge = simd::transpose_edge<T>;
  const index_t mr = a.rows, k = a.cols;
  if constexpr (replicates_a<T>(native_unit)) {
    for (index_t i = 0; i < mr; ++i)
      for (index_t p = 0; p < k; ++p) simd::store(dst + (p * mr + i) * lanes, simd::batch<T>(a(i, p)));
    return;
  }
  if (a.row_stride == 1) {  // columns are contiguous
    const index_t vectors = ceil_div(mr, lanes);
    for (index_t p = 0; p < k; ++p) {
      const T* src = a.data + p * a.col_stride;
      for (index_t v = 0; v < vectors; ++v) {
        const index_t valid = mr + rows_below - v * lanes;  // rows of the same column that exist
        simd::store(dst + p * mr + v * lanes,
                    valid >= lanes ? simd::load(src + v * lanes) : simd::load_partial(src + v * lanes, valid));
      }
    }
    return;
  }
  index_t p = 0;
  const index_t squares = ceil_div(mr, edge);
  if (a.col_stride == 1 && squares * edge <= mr + rows_below)  // rows are contiguous
    for (; p + edge <= k; p += edge)
      for (index_t s = squares - 1; s >= 0; --s)  // surplus of the last square first
        simd::transpose_square(a.data + s * edge * a.row_stride + p, a.row_stride, dst + p * mr + s * edge, mr);
  for (; p < k; ++p)
    for (index_t i = 0; i < mr; ++i) dst[p * mr + i] = a(i, p);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
