// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/gemm.hpp>
#include <ridgepoint/ops/dense.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y ← f(x·w + bias), one product.
template <class T>
void execute(cuda_context& on, const dense_args<T>& d, void*) {
  execute(on, gemm_args<T>{.a = d.x, .b = d.w, .c = d.y, .options = {.bias = d.bias, .act = d.act}}, nullptr);
}
/// dx ← dy·wᵀ.
template <class T>
void execute(cuda_context& on, const dense_backward_data_args<T>& d, void*) {
  execute(on, gemm_args<T>{.a = d.dy, .b = d.w.transposed(), .c = d.dx}, nullptr);
}
/// dw ← xᵀ·dy, and db ← column sums of dy.
template <class T>
void execute(cuda_context& on, const dense_backward_weights_args<T>& d, void*) {
  execute(on, gemm_args<T>{.a = d.x.transposed(), .b = d.dy, .c = d.dw}, nullptr);
  if (d.db != nullptr && d.dy.cols != 0)
    on.launch(reduction_kernels<T>::column_sums, on.rows(d.dy.cols, d.dy.rows), d.dy.rows, d.dy.cols, d.dy.row_stride,
              d.dy.data, d.db);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
