// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/kernels/array/im2col.hpp>
#include <ridgepoint/mxu/dense.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// Rows of an im2col matrix made at a time: about 1 MiB of them, a multiple of `unit`.
[[nodiscard]] constexpr index_t rows_at_once(index_t rows, index_t cols, index_t unit) noexcept {
  return std::min(rows, round_up(std::max<index_t>(1, (1 << 18) / cols), unit));
}

/// use(first, block) for consecutive blocks of `rows`×`cols` elements, which make(r, row) fills row by row.
template <class E, class Make, class Use>
void for_row_blocks(int threads, index_t rows, index_t cols, index_t unit, Make&& make, Use&& use) {
  struct tag;
  const index_t most = rows_at_once(rows, cols, unit);
  const auto memory = thread_scratch_of<tag, E>(most * cols);
  for (index_t first = 0; first < rows; first += most) {
    const index_t count = std::min(most, rows - first);
    parallel_for(threads, count, [&](index_t r) { make(first + r, memory + r * cols); });
    use(first, matrix_view<const E>(memory, count, cols));
  }
}

/// c ← rows·b where make(r, row) gives row r of the left operand and `b` has entered the array.
template <class Format, backend Host, class Make>
void product_of_rows(const mxu<Host>& on, const array_border<Format>& border, const Make& make,
                     matrix_view<const array_operand_t<Format>> b, matrix_view<float> c) {
  for_row_blocks<array_operand_t<Format>>(
      on.thread_count(), c.rows, b.rows, 1, make, [&](index_t first, const auto& rows) {
        const auto part = c.block(first, 0, rows.rows, c.cols);
        const auto sums = border.sums(part);
        execute(on.host(), array_gemm_args<Format>{.a = rows, .b = b, .c = sums, .depth = on.chip().array.rows});
        border.leave(sums, part);
      });
}

}  // namespace systolic

/// y ← act(im2col(x)·w + bias): k runs over kh, kw and c in this order; padding enters the array as zeros.
template <backend Host>
void execute(const mxu<Host>& on, const conv2d_args<float>& a) {
  const conv2d_geometry& g = a.geometry;
  const matrix_view<float> y(a.y, g.n * g.oh() * g.ow(), g.f);
  if (y.rows == 0) return;
  systolic::with_format(on.format(), [&]<class Format>() {
    systolic::array_border<Format> border;
    const auto x = border.left({a.x, g.n * g.h * g.w, g.c});
    const auto w = border.right({a.w, g.kh * g.kw * g.c, g.f});
    systolic::product_of_rows(
        on, border, [&](index_t r, auto* row) { kernels::im2col_row(g, x.data, r, row); }, w, y);
  });
  systolic::finish_on_vector_unit(on, y, a.bias, a.act);
}

/// dx ← the gradients of the outputs that read it · wᵀ: k runs over kh, kw and f; where no output reads it, zeros.
template <backend Host>
void execute(const mxu<Host>& on, const conv2d_backward_data_args<float>& a) {
  const conv2d_geometry& g = a.geometry;
  const matrix_view<float> dx(a.dx, g.n * g.h * g.w, g.c);
  if (dx.rows == 0) return;
  struct tag;
  const auto turned = thread_scratch_of<tag, float>(g.filter_size());
  kernels::swap_channels(g, a.w, turned);
  systolic::with_format(on.format(), [&]<class Format>() {
    systolic::array_border<Format> border;
    const auto dy = border.left({a.dy, g.n * g.oh() * g.ow(), g.f});
    const auto w = border.right({turned, g.kh * g.kw * g.f, g.c});
    systolic::product_of_rows(
        on, border, [&](index_t r, auto* row) { kernels::output_row(g, dy.data, r, row); }, w, dx);
  });
}

/// dw ← im2col(x)ᵀ·dy: k runs over samples, rows and columns of y. db: the vector unit's.
template <backend Host>
void execute(const mxu<Host>& on, const conv2d_backward_weights_args<float>& a) {
  const conv2d_geometry& g = a.geometry;
  const matrix_view<const float> dy(a.dy, g.n * g.oh() * g.ow(), g.f);
  const matrix_view<float> dw(a.dw, g.kh * g.kw * g.c, g.f);
  const index_t depth = on.chip().array.rows;
  if (dy.rows == 0) std::fill_n(a.dw, g.filter_size(), 0.0F);
  else
    systolic::with_format(on.format(), [&]<class Format>() {
      systolic::array_border<Format> border;
      const auto x = border.left({a.x, g.n * g.h * g.w, g.c});
      const auto right = border.right(dy);
      const auto sums = border.sums(dw);
      const auto make = [&](index_t r, auto* row) { kernels::im2col_row(g, x.data, r, row); };
      systolic::for_row_blocks<array_operand_t<Format>>(  // whole folds, so that their order is that of one product
          on.thread_count(), dy.rows, dw.rows, depth, make, [&](index_t first, const auto& rows) {
            execute(on.host(), array_gemm_args<Format>{.a = rows.transposed(),
                                                       .b = right.block(first, 0, rows.rows, g.f),
                                                       .c = sums,
                                                       .depth = depth,
                                                       .accumulate = first > 0});
          });
      border.leave(sums, dw);
    });
  systolic::sum_columns(on, dy, a.db);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
