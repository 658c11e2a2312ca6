// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/gemm/dot.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/folded.hpp>
#include <ridgepoint/kernels/gemm/gemm_kernels.hpp>
#include <ridgepoint/kernels/gemm/in_place.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/kernels/gemm/outer.hpp>
#include <ridgepoint/kernels/gemm/small.hpp>
#include <ridgepoint/kernels/gemm/vectors.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
void finish_activation_of<T>::run(activation f, const matrix_view<T>& c) noexcept {
  finish_activation(f, c);
}

/// Applies an activation that kernels do not apply; along the column if C is one column.
template <class T>
void finish_lines(const gemm_args<T>& g) noexcept {
  const bool column = g.c.cols == 1 && g.c.row_stride == 1;
  finish_activation(g.options.act, column ? g.c.transposed() : g.c);
}

template <class T>
RIDGEPOINT_NOINLINE void gemm_elements<T>::run(const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, a_step = g.a.col_stride, b_step = g.b.row_stride;
  const bool plain = is_plain(g.options);
  const T alpha = g.options.alpha;
  for (index_t i = 0; i < m; ++i) {
    T* const row = g.c.data + i * g.c.row_stride;
    for (index_t j = 0; j < n; ++j) {
      const T* a = g.a.data + i * g.a.row_stride;
      const T* b = g.b.data + j * g.b.col_stride;
      T sum = *a * *b;
      for (index_t p = 1; p < k; ++p) a += a_step, b += b_step, sum += *a * *b;
      if (plain) row[j] = alpha * sum;
      else finish_element(g.options, j, sum, row[j]);
    }
  }
  finish_activation(g.options.act, g.c);
}

template <class T>
void gemm_block<T>::run(const gemm_plan& plan, const gemm_args<T>& g, const T* packed, T* memory) noexcept {
  switch (plan.family) {
    case gemm_family::in_place:
      gemm_in_place(plan, g);
      break;
    case gemm_family::outer:
      gemm_outer(g.options.alpha, g.a, g.b, g.c);
      break;
    case gemm_family::nothing:
    case gemm_family::scale:
    case gemm_family::element:
    case gemm_family::vector:
    case gemm_family::dot:
    case gemm_family::narrow:
    case gemm_family::columns:
    case gemm_family::packed:
    default:
      gemm_on_panels(plan, g, packed, memory);
  }
  if (plan.streams) simd::end_stream();
  finish_activation(g.options.act, g.c);
}

/// Computes a small product with a row-major B.
template <class T>
RIDGEPOINT_NOINLINE void gemm_small_tiles(const gemm_args<T>& g) noexcept {
  const gemm_plan plan = plan_small<T>(native_unit, g.c.rows, g.c.cols, g.a.cols, result_of(g.options));
  const bool product = is_plain(g.options) && exactly(g.options.alpha, T(1)) && g.a.col_stride == 1;
  if (plan.family == gemm_family::outer) gemm_outer(g.options.alpha, g.a, g.b, g.c);
  else if (!product || g.c.cols > plan.nv * simd::lanes<T> || !run_small_panel(plan, g)) gemm_in_place(plan, g);
  finish_activation(g.options.act, g.c);
}

template <class T>
RIDGEPOINT_NOINLINE void gemm_dots<T>::run(const gemm_args<T>& g, const T* b, index_t ld, index_t all_rows) noexcept {
  gemm_dot(
      g.c.rows, g.c.cols, all_rows,
      {.k = g.a.cols, .a = g.a.data, .a_ld = g.a.row_stride, .b = b, .b_ld = ld, .c = g.c.data, .ldc = g.c.row_stride},
      g.options);
}

template <class T>
RIDGEPOINT_NOINLINE void gemm_narrow<T>::run(const gemm_args<T>& g, const T* b, index_t all_rows) noexcept {
  gemm_narrow_rows(g.c.rows, g.c.cols, g.a.cols, all_rows, g.a.data, g.a.row_stride, b, g.c.data, g.c.row_stride,
                   g.options);
}

template <class T>
RIDGEPOINT_NOINLINE void gemm_columns<T>::run(const gemm_args<T>& g) noexcept {
  gemm_by_columns(g);
}

template <class T>
bool gemm_small<T>::run(const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  if (!is_small<T>(native_unit, m, n, k) || g.c.col_stride != 1) return false;
  const operand_layout a = layout_of_a(g), b = layout_of_b(g);
  if (is_small_row<T>(native_unit, m, n, k, b)) {
    small_row(g);
    finish_lines(g);
    return true;
  }
  const bool column = is_small_column<T>(native_unit, m, n, a, b);
  if (!column && is_tiny(native_unit, m, n, k)) {
    gemm_elements<T>::run(g);
    return true;
  }
  if (column || is_small_dot<T>(native_unit, m, n, k, a, b)) {
    gemm_dots<T>::run(g, g.b.data, g.b.col_stride, m);
    finish_lines(g);
    return true;
  }
  if (is_by_columns<T>(native_unit, m, n, k, a, b)) {
    gemm_columns<T>::run(g);
    finish_lines(g);
    return true;
  }
  if (is_narrow<T>(native_unit, m, n, k, a, b)) {
    if (b.row_stride != n) return false;
    gemm_narrow<T>::run(g, g.b.data, m);
    finish_lines(g);
    return true;
  }
  const bool by_tiles = n > 1 && b.col_stride == 1 && !gains_turned<T>(native_unit, m, n, k, a);
  if (by_tiles) gemm_small_tiles(g);
  return by_tiles;
}

template <class T>
void gemm_row<T>::run(const gemm_args<T>& g, index_t all_columns, T* memory) noexcept {
  const index_t n = g.c.cols, k = g.a.cols;
  if (g.c.col_stride == 1 && is_small<T>(native_unit, 1, all_columns, k)) return small_row(g);
  const bool plain = exactly(g.options.alpha, T(1)) && is_plain(g.options);
  T* const product = plain && g.c.col_stride == 1 ? g.c.data : memory;
  const T* x = g.a.data;
  if (g.a.col_stride != 1) {
    for (index_t p = 0; p < k; ++p) memory[n + p] = g.a(0, p);
    x = memory + n;
  }
  gemv(x, g.b, product);
  if (product == g.c.data) return;
  finish_line<T>(g.options, n, {g.options.bias}, {product}, {g.c.data, g.c.col_stride});
}

template <class T>
void gemm_scale<T>::run(const gemm_args<T>& g) noexcept {
  static constexpr T zero = 0;
  const T* const bias = g.options.bias;
  const bool one_line = bias == nullptr && g.c.col_stride == 1 && g.c.row_stride == g.c.cols;
  const index_t lines = one_line ? 1 : g.c.rows, n = one_line ? g.c.rows * g.c.cols : g.c.cols;
  for (index_t i = 0; i < lines; ++i) finish_line<T>(g.options, n, {bias}, {&zero, 0}, {&g.c(i, 0), g.c.col_stride});
  finish_lines(g);
}

template <class T>
void turn_rows<T>::run(const matrix_view<const T>& src, T* dst, index_t dst_ld) noexcept {
  turn(src, dst, dst_ld);
}

template <class T>
void gemm_finish_turned<T>::run(const gemm_args<T>& g, const T* product, turned_in how) noexcept {
  constexpr index_t edge = transpose_edge<T>(native_unit);
  const index_t m = g.c.rows, n = g.c.cols;
  const T* const bias = g.options.bias;
  index_t i = 0;
  if (how == turned_in::squares)
    for (; (i + edge - 1) * n + edge <= m * n; i += edge) simd::transpose_square(product + i, m, g.c.data + i * n, n);
  constexpr index_t lines = 256;  // of C, which remain in L1 from column to column
  for (index_t count = 0; i < m; i += count) {
    count = (std::min)(lines, m - i);
    for (index_t j = 0; j < n; ++j)
      finish_line<T>(g.options, count, {bias == nullptr ? bias : bias + j, 0}, {product + j * m + i},
                     {&g.c(i, j), g.c.row_stride});
  }
  finish_activation(g.options.act, g.c);
}

template <class T>
void gemm_pack_panel<T>::run(const matrix_view<const T>& b, T* dst) noexcept {
  pack_b_panel(b, dst);
}

template <class T>
small_product<T> gemm_prepare_small<T>::run(const gemm_plan& plan, const gemm_args<T>& g) noexcept {
  return prepare_small(plan, g);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
