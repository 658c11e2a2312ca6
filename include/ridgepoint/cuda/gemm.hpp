// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include <ridgepoint/cuda/runtime/lt_matmul.hpp>
#include <ridgepoint/cuda/runtime/pieces.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// What cuBLAS calls elements of T.
template <class T>
inline constexpr cudaDataType_t lt_type = std::is_same_v<T, float>      ? CUDA_R_32F
                                          : std::is_same_v<T, double>   ? CUDA_R_64F
                                          : std::is_same_v<T, bfloat16> ? CUDA_R_16BF
                                                                        : CUDA_R_16F;

/// Whether cuBLAS ends a product of T with bias and activation itself.
template <class T>
[[nodiscard]] constexpr bool ends_in_cublas(activation act) noexcept {
  return !std::is_same_v<T, double> && (act == activation::none || act == activation::relu);
}

[[nodiscard]] constexpr cublasLtEpilogue_t epilogue_of(const void* bias, activation act) noexcept {
  if (act == activation::relu) return bias != nullptr ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  return bias != nullptr ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/// The sums of a product, where they would be rounded before bias and activation are added to them.
template <class T>
struct kept_sums {
  pieces from;
  compute_t<T>* data = nullptr;

  kept_sums(const gemm_args<T>& g, void* workspace) : from(workspace) {
    if (!computes_as_stored<T> && !ends_in_cublas<T>(g.options.act))
      data = from.take<compute_t<T>>(g.c.rows * g.c.cols);
  }
};
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context&, const gemm_args<T>& g) {
  return kept_sums<T>(g, nullptr).from.bytes();
}
/// C ← α·A·B + β·C as cuBLAS computes it, as Cᵀ ← α·Bᵀ·Aᵀ + β·Cᵀ, which are the same numbers column by column; nothing
/// for views that it does not take.
template <class T>
[[nodiscard]] std::optional<lt_problem> lt_problem_of(const cuda_context& on, const gemm_args<T>& g) {
  const auto a = lt_operand_of(g.a), b = lt_operand_of(g.b), c = lt_operand_of(g.c);
  if (g.a.cols == 0 || !a || !b || !c || c->transposed) return std::nullopt;
  const cublasComputeType_t f32 =
      std::is_same_v<T, float> && on.may_use_tensor_floats() ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  return lt_problem{.type = lt_type<T>,
                    .result = lt_type<T>,
                    .compute = std::is_same_v<T, double> ? CUBLAS_COMPUTE_64F : f32,
                    .m = g.c.cols,
                    .n = g.c.rows,
                    .k = g.a.cols,
                    .ldd = c->ld,
                    .a = *b,
                    .b = *a,
                    .a_alignment = alignment_of(g.b.data),
                    .b_alignment = alignment_of(g.a.data),
                    .d_alignment = alignment_of(g.c.data)};
}
/// C ← f(α·A·B + β·C + bias) by cuBLAS; views that it does not take by a kernel of our own.
template <class T>
void execute(cuda_context& on, const gemm_args<T>& g, void* workspace) {
  const index_t m = g.c.rows, n = g.c.cols;
  if (m == 0 || n == 0) return;
  const gemm_options<T>& o = g.options;
  std::optional<lt_problem> p = lt_problem_of(on, g);
  if (!p) {
    on.launch(product_kernels<T>::gemm, on.loop(m * n), m, n, g.a.cols, g.a.data, g.a.row_stride, g.a.col_stride,
              g.b.data, g.b.row_stride, g.b.col_stride, g.c.data, g.c.row_stride, g.c.col_stride, o.alpha, o.beta,
              o.bias.data, o.act);
    return;
  }
  using number = compute_t<T>;
  const index_t ldc = p->ldd;
  const bool ends = ends_in_cublas<T>(o.act);
  const T* const bias = ends ? o.bias.data : nullptr;
  if (ends) p->epilogue = epilogue_of(bias, o.act);
  if (bias != nullptr) p->bias_alignment = alignment_of(bias);
  number* const sums = kept_sums<T>(g, workspace).data;
  void* d = g.c.data;
  if (sums != nullptr) {
    d = sums;
    p->result = lt_type<number>;
    p->ldd = n;
    p->d_alignment = alignment_of(d);
  }
  lt_matmul& product = on.kept<lt_matmuls>().find(on, *p);
  constexpr number zero = 0;
  if (!on.rehearses()) product.run(on, &o.alpha, g.b.data, g.a.data, sums != nullptr ? &zero : &o.beta, d, bias);
  if (sums != nullptr)
    on.launch(product_kernels<T>::finish, on.loop(m * n), m, n, sums, o.beta, o.bias.data, g.c.data, ldc, o.act);
  else if (!ends && (o.bias != nullptr || o.act != activation::none))
    on.launch(elementwise_kernels<T>::add_bias, on.loop(m * n), o.act, m, n, ldc, g.c.data, o.bias.data, g.c.data);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
