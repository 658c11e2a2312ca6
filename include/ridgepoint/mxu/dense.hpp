// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/gemm.hpp>
#include <ridgepoint/ops/dense.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// db(j) ← Σ_i dy(i, j) on the vector unit: the weight gradient of a layer without inputs is nothing else.
template <backend Host>
void sum_columns(const mxu<Host>& on, matrix_view<const float> dy, float* db) {
  if (db == nullptr) return;
  execute(on.host(), dense_backward_weights_args<float>{
                         .x = {nullptr, dy.rows, 0}, .dy = dy, .dw = {nullptr, 0, dy.cols}, .db = db});
}

}  // namespace systolic

template <class T, backend Host>
  requires executes<mxu<Host>, gemm_args<T>>
void execute(const mxu<Host>& on, const dense_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.x, .b = d.w, .c = d.y, .options = {.bias = d.bias, .act = d.act}});
}
template <class T, backend Host>
  requires executes<mxu<Host>, gemm_args<T>>
void execute(const mxu<Host>& on, const dense_backward_data_args<T>& d) {
  execute(on, gemm_args<T>{.a = d.dy, .b = d.w.transposed(), .c = d.dx});
}
template <backend Host>
void execute(const mxu<Host>& on, const dense_backward_weights_args<float>& d) {
  execute(on, gemm_args<float>{.a = d.x.transposed(), .b = d.dy, .c = d.dw});
  systolic::sum_columns(on, d.dy, d.db);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
