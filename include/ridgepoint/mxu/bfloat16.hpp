// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/conv2d.hpp>
#include <ridgepoint/mxu/vector_unit.hpp>
#include <ridgepoint/ops/convert.hpp>

/// \file
/// Products of operands stored in bfloat16: they enter as fp32 of equal values, which a bf16 array does not round
/// again. Results of the array and of the vector unit are rounded once, when stored.
namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// Operand `Number` of a call in fp32.
template <int Number>
[[nodiscard]] float* in_fp32(index_t size) {
  struct tag;
  return thread_scratch_of<tag, float>(size);
}
/// Fills a copy of operand `Number` with its values; null if the operand is missing.
template <int Number, backend Host>
[[nodiscard]] const float* from_storage(const mxu<Host>& on, const bfloat16* x, index_t size) {
  if (x == nullptr) return nullptr;
  float* const y = in_fp32<Number>(size);
  execute(on, convert_args<float, bfloat16>{.size = size, .x = x, .y = y});
  return y;
}
template <int Number, class T>
[[nodiscard]] matrix_view<float> from_storage(const matrix_view<T>& v) {
  const matrix_view<float> to(in_fp32<Number>(v.rows * v.cols), v.rows, v.cols);
  for (index_t i = 0; i < v.rows; ++i)
    for (index_t j = 0; j < v.cols; ++j) to(i, j) = static_cast<float>(v(i, j));
  return to;
}
template <backend Host>
void to_storage(const mxu<Host>& on, const float* x, bfloat16* y, index_t size) {
  if (y != nullptr) execute(on, convert_args<bfloat16, float>{.size = size, .x = x, .y = y});
}
inline void to_storage(const matrix_view<float>& x, const matrix_view<bfloat16>& y) {
  for (index_t i = 0; i < y.rows; ++i)
    for (index_t j = 0; j < y.cols; ++j) y(i, j) = bfloat16(x(i, j));
}

}  // namespace systolic

template <backend Host>
void execute(const mxu<Host>& on, const gemm_args<bfloat16>& g) {
  const auto& [alpha, beta, bias, act, no_activation] = g.options;
  const matrix_view<float> c = exactly(beta, 0)
                                   ? matrix_view<float>(systolic::in_fp32<2>(g.c.rows * g.c.cols), g.c.rows, g.c.cols)
                                   : systolic::from_storage<2>(g.c);
  execute(on,
          gemm_args<float>{
              .a = systolic::from_storage<0>(g.a),
              .b = systolic::from_storage<1>(g.b),
              .c = c,
              .options = {
                  .alpha = alpha, .beta = beta, .bias = systolic::from_storage<3>(on, bias, g.c.cols), .act = act}});
  systolic::to_storage(c, g.c);
}
template <backend Host>
void execute(const mxu<Host>& on, const dense_backward_weights_args<bfloat16>& d) {
  const matrix_view<float> dw(systolic::in_fp32<2>(d.dw.rows * d.dw.cols), d.dw.rows, d.dw.cols);
  float* const db = d.db == nullptr ? nullptr : systolic::in_fp32<3>(d.dy.cols);
  execute(on, dense_backward_weights_args<float>{
                  .x = systolic::from_storage<0>(d.x), .dy = systolic::from_storage<1>(d.dy), .dw = dw, .db = db});
  systolic::to_storage(dw, d.dw);
  systolic::to_storage(on, db, d.db, d.dy.cols);
}

template <backend Host>
void execute(const mxu<Host>& on, const conv2d_args<bfloat16>& a) {
  const conv2d_geometry& g = a.geometry;
  float* const y = systolic::in_fp32<3>(g.output_size());
  execute(on, conv2d_args<float>{g, systolic::from_storage<0>(on, a.x, g.input_size()),
                                 systolic::from_storage<1>(on, a.w, g.filter_size()),
                                 systolic::from_storage<2>(on, a.bias, g.f), y, a.act, a.algorithm,
                                 systolic::from_storage<4>(on, a.residual, g.output_size()), a.slope});
  systolic::to_storage(on, y, a.y, g.output_size());
}
template <backend Host>
void execute(const mxu<Host>& on, const conv2d_backward_data_args<bfloat16>& a) {
  const conv2d_geometry& g = a.geometry;
  float* const dx = systolic::in_fp32<2>(g.input_size());
  execute(on, conv2d_backward_data_args<float>{g, systolic::from_storage<0>(on, a.dy, g.output_size()),
                                               systolic::from_storage<1>(on, a.w, g.filter_size()), dx});
  systolic::to_storage(on, dx, a.dx, g.input_size());
}
template <backend Host>
void execute(const mxu<Host>& on, const conv2d_backward_weights_args<bfloat16>& a) {
  const conv2d_geometry& g = a.geometry;
  float *const dw = systolic::in_fp32<2>(g.filter_size()), *const db =
                                                               a.db == nullptr ? nullptr : systolic::in_fp32<3>(g.f);
  execute(on, conv2d_backward_weights_args<float>{g, systolic::from_storage<0>(on, a.x, g.input_size()),
                                                  systolic::from_storage<1>(on, a.dy, g.output_size()), dw, db});
  systolic::to_storage(on, dw, a.dw, g.filter_size());
  systolic::to_storage(on, db, a.db, g.f);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
