// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/column_sums.hpp>
#include <ridgepoint/cuda/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Whether cuBLAS is asked to sum the columns of B while it multiplies: for small products, of which what counts is
/// that they are started; large ones are reported slower so, and there the sums are a small part of the work.
[[nodiscard]] constexpr bool may_sum_in_cublas(const lt_problem& p) noexcept {
  constexpr index_t most = index_t{1} << 28;  // multiply-adds
  return p.type != CUDA_R_64F && !p.a.transposed && p.m * p.n <= most / p.k;
}
/// The product that sums them, too; null where cuBLAS has none, or none that keeps half as much of the device busy as
/// the product alone.
template <class T>
[[nodiscard]] lt_matmul* find_with_sums(cuda_context& on, lt_problem p, const T* sums) {
  if (!may_sum_in_cublas(p)) return nullptr;
  auto& products = on.kept<lt_matmuls>();
  const float alone = products.find(on, p).waves();
  p.epilogue = CUBLASLT_EPILOGUE_BGRADA;  // what it calls A is our B
  p.bias_alignment = alignment_of(sums);
  lt_matmul* const found = products.find_if_offered(on, p);
  return found != nullptr && 2 * found->waves() >= (std::min)(alone, 1.0F) ? found : nullptr;
}
/// C ← α·A·B + β·C and, unless null, sums(j) ← Σ_i B(i, j): by cuBLAS in one call, or by a kernel of our own, whose
/// workspace is of column_sums_bytes(). Requires: elements of a row of B are adjacent.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
