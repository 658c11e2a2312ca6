// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/kernels/array/array.hpp>
#include <ridgepoint/mxu/gemm.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// Rows of an im2col matrix per block: about 1 MiB, a multiple of `unit`.
[[nodiscard]] constexpr index_t rows_at_once(index_t rows, index_t cols, index_t unit) noexcept {
  return (std::min)(rows, round_up(std::max<index_t>(1, (1 << 18) / cols), unit));
}

/// Calls use(first, block) for consecutive blocks of `rows`×`cols` elements, which make(r, row) fills row by row.
template <class E, class Make, class Use>
void for_row_blocks(int threads, index_t rows, index_t cols, index_t unit, Make&& make, Use&& use) {
  struct tag;
  const index_t most = rows_at_once(rows, cols, unit);
  const auto memory = thread_scratch_of<tag, E>(most * cols);
  for (index_t first = 0; first < rows; first += most) {
    const index_t count = (std::min)(most, rows - first);
    parallel_for(threads, count, [&](index_t r) { make(first + r, memory + r * cols); });
    use(first, matrix_view<const E>(memory, count, cols));
  }
}

/// c ← rows·b, where make(r, row) fills row r of the left operand and `b` is already in the array.
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

/// y ← act(im2col(x)·w + bias + residual), group by group: k runs over kh, kw and c in this order; padding enters the
/// array as zeros.
template <backend Host>
void execute(const mxu<Host>& on, const conv2d_args<float>& a) {
  const conv2d_geometry& g = a.geometry;
  const index_t c = g.group_c(), f = g.group_f();
  const matrix_view<float> y(a.y, g.n * g.oh() * g.ow(), g.f);
  if (y.rows == 0) return;
  systolic::with_format(on.format(), [&]<class Format>() {
    systolic::array_border<Format> border;
    const auto x = border.left({a.x, g.n * g.h * g.w, g.c});
    for (index_t group = 0; group < g.groups; ++group) {
      const auto make = [&](index_t r, auto* row) { kernels::im2col_row(g, x.data + group * c, r, row); };
      const auto w = border.right({a.w + group * f, g.kh * g.kw * c, f, g.f});
      systolic::product_of_rows(on, border, make, w, y.block(0, group * f, y.rows, f));
    }
  });
  const bool split = detail::needs_finish_pass(a);
  systolic::finish_on_vector_unit(on, y, a.bias, split ? activation::none : a.act);
  if (!split) return;
  const index_t size = g.output_size();
  if (a.residual != nullptr) execute(on.host(), add_args<float>{.size = size, .a = a.y, .b = a.residual, .y = a.y});
  if (a.act != activation::none)
    execute(on.host(), activate_args<float>{.f = a.act, .slope = a.slope, .size = size, .x = a.y, .y = a.y});
}

/// dx ← the gradients of the outputs that read it · wᵀ, group by group: k runs over kh, kw and f; where no output reads
/// it, zeros.
template <backend Host>
void execute(const mxu<Host>& on, const conv2d_backward_data_args<float>& a) {
  const conv2d_geometry& g = a.geometry;
  const index_t c = g.group_c(), f = g.group_f(), depth = g.kh * g.kw * f;
  const matrix_view<float> dx(a.dx, g.n * g.h * g.w, g.c);
  if (dx.rows == 0) return;
  struct tag;
  const auto turned = thread_scratch_of<tag, float>(depth * c);
  systolic::with_format(on.format(), [&]<class Format>() {
    systolic::array_border<Format> border;
    const auto dy = border.left({a.dy, g.n * g.oh() * g.ow(), g.f});
    for (index_t group = 0; group < g.groups; ++group) {
      const auto make = [&](index_t r, auto* row) { kernels::output_row(g, dy.data + group * f, r, row); };
      kernels::swap_channels(g, a.w + group * f, turned);
      const auto w = border.right({turned, depth, c});
      systolic::product_of_rows(on, border, make, w, dx.block(0, group * c, dx.rows, c));
    }
  });
}

/// dw ← im2col(x)ᵀ·dy, group by group: k runs over samples, rows and columns of y. The vector unit computes db.
template <backend Host>
void execute(const mxu<Host>& on, const conv2d_backward_weights_args<float>& a) {
  const conv2d_geometry& g = a.geometry;
  const index_t c = g.group_c(), f = g.group_f(), depth = on.chip().array.rows;
  const matrix_view<const float> dy(a.dy, g.n * g.oh() * g.ow(), g.f);
  const matrix_view<float> all(a.dw, g.kh * g.kw * c, g.f);
  if (dy.rows == 0) std::fill_n(a.dw, g.filter_size(), 0.0F);
  else
    systolic::with_format(on.format(), [&]<class Format>() {
      systolic::array_border<Format> border;
      const auto x = border.left({a.x, g.n * g.h * g.w, g.c});
      for (index_t group = 0; group < g.groups; ++group) {
        const auto make = [&](index_t r, auto* row) { kernels::im2col_row(g, x.data + group * c, r, row); };
        const auto right = border.right(dy.block(0, group * f, dy.rows, f));
        const matrix_view<float> dw = all.block(0, group * f, all.rows, f);
        const auto sums = border.sums(dw);
        systolic::for_row_blocks<array_operand_t<Format>>(  // whole folds, so that their order is as in one product
            on.thread_count(), dy.rows, dw.rows, depth, make, [&](index_t first, const auto& rows) {
              execute(on.host(), array_gemm_args<Format>{.a = rows.transposed(),
                                                         .b = right.block(first, 0, rows.rows, f),
                                                         .c = sums,
                                                         .depth = depth,
                                                         .accumulate = first > 0});
            });
        border.leave(sums, dw);
      }
    });
  systolic::sum_columns(on, dy, a.db);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
