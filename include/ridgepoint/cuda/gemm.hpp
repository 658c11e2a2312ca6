// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include <ridgepoint/cuda/runtime/lt_matmul.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Whether cuBLAS ends a product of T with bias and activation itself.
template <class T>
[[nodiscard]] constexpr bool ends_in_cublas(activation act) noexcept {
  return std::is_same_v<T, float> && (act == activation::none || act == activation::relu);
}

[[nodiscard]] constexpr cublasLtEpilogue_t epilogue_of(const void* bias, activation act) noexcept {
  if (act == activation::relu) return bias != nullptr ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  return bias != nullptr ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/// C ← f(α·A·B + β·C + bias) by cuBLAS, as Cᵀ ← f(α·Bᵀ·Aᵀ + β·Cᵀ + bias), which are the same numbers column by
/// column; views that cuBLAS does not take by a kernel of our own.
template <class T>
void execute(cuda_context& on, const gemm_args<T>& g, void*) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  if (m == 0 || n == 0) return;
  const gemm_options<T>& o = g.options;
  const auto a = lt_operand_of(g.a), b = lt_operand_of(g.b), c = lt_operand_of(g.c);
  if (k == 0 || !a || !b || !c || c->transposed) {
    on.launch(product_kernels<T>::gemm, on.loop(m * n), m, n, k, g.a.data, g.a.row_stride, g.a.col_stride, g.b.data,
              g.b.row_stride, g.b.col_stride, g.c.data, g.c.row_stride, g.c.col_stride, o.alpha, o.beta, o.bias, o.act);
    return;
  }
  const bool ends = ends_in_cublas<T>(o.act);
  const T* const bias = ends ? o.bias : nullptr;
  constexpr bool narrow = std::is_same_v<T, float>;
  const cublasComputeType_t f32 = on.may_use_tensor_floats() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  lt_matmul& product =
      on.kept<lt_matmuls>().find(on, {.type = narrow ? CUDA_R_32F : CUDA_R_64F,
                                      .compute = narrow ? f32 : CUBLAS_COMPUTE_64F,
                                      .epilogue = ends ? epilogue_of(bias, o.act) : CUBLASLT_EPILOGUE_DEFAULT,
                                      .m = n,
                                      .n = m,
                                      .k = k,
                                      .ldd = c->ld,
                                      .a = *b,
                                      .b = *a,
                                      .a_alignment = alignment_of(g.b.data),
                                      .b_alignment = alignment_of(g.a.data),
                                      .d_alignment = alignment_of(g.c.data)});
  if (!on.rehearses()) product.run(on, &o.alpha, g.b.data, g.a.data, &o.beta, g.c.data, bias);
  if (!ends && (o.bias != nullptr || o.act != activation::none))
    on.launch(elementwise_kernels<T>::add_bias, on.loop(m * n), o.act, m, n, c->ld, g.c.data, o.bias, g.c.data);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
