// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/gemm_with_sums.hpp>
#include <ridgepoint/ops/dense.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// y ← f(x·w + bias), one product.
template <class T>
[[nodiscard]] gemm_args<T> product_with_bias(const dense_args<T>& d) noexcept {
  return {.a = d.x, .b = d.w, .c = d.y, .options = {.bias = d.bias, .act = d.act}};
}
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const dense_args<T>& d) {
  return workspace_bytes(on, product_with_bias(d));
}
template <class T>
void execute(cuda_context& on, const dense_args<T>& d, void* workspace) {
  execute(on, product_with_bias(d), workspace);
}
/// dx ← dy·wᵀ.
template <class T>
void execute(cuda_context& on, const dense_backward_data_args<T>& d, void*) {
  execute(on, gemm_args<T>{.a = d.dy, .b = d.w.transposed(), .c = d.dx}, nullptr);
}
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const dense_backward_weights_args<T>& d) {
  return d.db == nullptr ? 0 : column_sums_bytes<T>(on, d.dy.rows, d.dy.cols);
}
/// dw ← xᵀ·dy, and db ← column sums of dy.
template <class T>
void execute(cuda_context& on, const dense_backward_weights_args<T>& d, void* workspace) {
  multiply_with_sums(on, gemm_args<T>{.a = d.x.transposed(), .b = d.dy, .c = d.dw}, d.db, workspace);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
