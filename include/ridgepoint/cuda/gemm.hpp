// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/kernel.hpp>
#include <ridgepoint/cuda/runtime/lt_matmul.hpp>
#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>
#include <ridgepoint/ops/gemm_packed.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// cuBLAS's name for the element type T.
template <class T>
inline constexpr cudaDataType_t lt_type = std::is_same_v<T, float>      ? CUDA_R_32F
                                          : std::is_same_v<T, double>   ? CUDA_R_64F
                                          : std::is_same_v<T, bfloat16> ? CUDA_R_16BF
                                                                        : CUDA_R_16F;

/// Returns whether cuBLAS applies bias and activation to a product of T.
template <class T>
[[nodiscard]] constexpr bool ends_in_cublas(activation act) noexcept {
  return !std::is_same_v<T, double> && (act == activation::none || act == activation::relu);
}

[[nodiscard]] constexpr cublasLtEpilogue_t epilogue_of(const void* bias, activation act) noexcept {
  if (act == activation::relu) return bias != nullptr ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  return bias != nullptr ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/// The sums of a product, stored if rounding before bias and activation must be avoided.
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
/// Returns C ← α·A·B + β·C as cuBLAS computes it: Cᵀ ← α·Bᵀ·Aᵀ + β·Cᵀ, the same numbers column by column. Returns
/// nothing for views that cuBLAS does not support.
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
/// C ← f(α·A·B + β·C + bias) by cuBLAS; by our own kernel for views that cuBLAS does not support.
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

/// Computes every problem as a separate product; all share one plan if their layouts are equal.
template <class T>
[[nodiscard]] std::size_t workspace_bytes(const cuda_context& on, const gemm_batched_args<T>& g) {
  return workspace_bytes(on, g.first);
}
template <class T>
void execute(cuda_context& on, const gemm_batched_args<T>& g, void* workspace) {
  for (index_t q = 0; q < g.count; ++q) execute(on, g[q], workspace);
}

/// Packed B is row-major without gaps: cuBLAS does its own packing.
template <class T>
void execute(cuda_context& on, const pack_b_args<T>& p, void*) {
  const index_t size = p.b.rows * p.b.cols;
  if (p.elements != nullptr) *p.elements = size;
  if (p.packed != nullptr && size != 0)
    on.launch(sequence_kernels<T>::dense_copy, on.loop(size), p.b.rows, p.b.cols, p.b.data, p.b.row_stride,
              p.b.col_stride, p.packed);
}
template <class T>
void execute(cuda_context& on, const gemm_packed_args<T>& g, void*) {
  execute(on, gemm_args<T>{.a = g.a, .b = {g.packed, g.a.cols, g.c.cols}, .c = g.c, .options = g.options}, nullptr);
}

/// One sum for every column and part of its rows, if there is more than one part.
template <class T>
struct column_sum_parts {
  pieces from;
  column_shape shape;
  compute_t<T>* data = nullptr;

  column_sum_parts(const cuda_context& on, index_t rows, index_t cols, void* workspace)
      : from(workspace), shape(on.columns(rows, std::max<index_t>(cols, 1))) {
    if (shape.parts > 1) data = from.take<compute_t<T>>(shape.parts * cols);
  }
};
template <class T>
[[nodiscard]] std::size_t column_sums_bytes(const cuda_context& on, index_t rows, index_t cols) {
  return column_sum_parts<T>(on, rows, cols, nullptr).from.bytes();
}
/// sums(j) ← Σ_i x(i, j) unless sums is null. Blocks take tiles of columns and share their rows: first the sums of
/// parts, then their totals, always in the same order. Requires: elements of a row are adjacent.
template <class T>
void column_sums(cuda_context& on, const matrix_view<const T>& x, T* sums, void* workspace) {
  if (sums == nullptr || x.cols == 0) return;
  using kernels = reduction_kernels<T>;
  const column_sum_parts<T> parts(on, x.rows, x.cols, workspace);
  const column_shape& shape = parts.shape;
  if (shape.parts == 1) {
    on.launch(kernels::column_sums, shape.threads, x.rows, x.cols, shape.width, x.row_stride, x.data, sums);
    return;
  }
  on.launch(kernels::column_sum_parts, shape.threads, x.rows, x.cols, shape.width, x.row_stride, x.data, parts.data);
  on.launch(kernels::sums_of_column_parts, shape.gathering(), shape.parts, x.cols, shape.width, parts.data, sums);
}

/// Returns whether cuBLAS should sum the columns of B during the product: only in small products, where the number of
/// launches counts. Large products are reported slower this way, and there the sums are a small part of the work.
[[nodiscard]] constexpr bool may_sum_in_cublas(const lt_problem& p) noexcept {
  constexpr index_t most = index_t{1} << 28;  // multiply-adds
  return p.type != CUDA_R_64F && !p.a.transposed && p.m * p.n <= most / p.k;
}
/// Returns the product that also sums the columns; null if cuBLAS has none, or none that keeps at least half as much of
/// the device busy as the product alone.
template <class T>
[[nodiscard]] lt_matmul* find_with_sums(cuda_context& on, lt_problem p, const T* sums) {
  if (!may_sum_in_cublas(p)) return nullptr;
  auto& products = on.kept<lt_matmuls>();
  const float alone = products.find(on, p).waves();
  p.epilogue = CUBLASLT_EPILOGUE_BGRADA;  // cuBLAS's A is our B
  p.bias_alignment = alignment_of(sums);
  lt_matmul* const found = products.find_if_offered(on, p);
  return found != nullptr && 2 * found->waves() >= (std::min)(alone, 1.0F) ? found : nullptr;
}
/// C ← α·A·B + β·C and, unless null, sums(j) ← Σ_i B(i, j): by cuBLAS in one call, or by our own kernel with a
/// workspace of column_sums_bytes(). Requires: elements of a row of B are adjacent.
template <class T>
void multiply_with_sums(cuda_context& on, const gemm_args<T>& g, T* sums, void* workspace) {
  const bool is_empty = g.c.rows == 0 || g.c.cols == 0;
  const std::optional<lt_problem> p = sums == nullptr || is_empty ? std::nullopt : lt_problem_of(on, g);
  lt_matmul* const both = p ? find_with_sums(on, *p, sums) : nullptr;
  if (both == nullptr) {
    execute(on, g, nullptr);
    column_sums(on, g.b, sums, workspace);
  } else if (!on.rehearses()) {
    both->run(on, &g.options.alpha, g.b.data, g.a.data, &g.options.beta, g.c.data, sums);
  }
}

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
