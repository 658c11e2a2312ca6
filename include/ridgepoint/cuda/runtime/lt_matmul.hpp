// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/cuda/runtime/context.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A matrix in cuBLAS's layout: columns of adjacent elements with stride `ld`, of the matrix or of its transpose.
struct lt_operand {
  index_t ld = 1;
  bool transposed = false;

  friend bool operator<(const lt_operand& a, const lt_operand& b) noexcept {
    return std::tie(a.ld, a.transposed) < std::tie(b.ld, b.transposed);
  }
};

/// Returns a view as its transpose with columns of adjacent elements; nothing if no stride is 1 or lines overlap.
template <class T>
[[nodiscard]] constexpr std::optional<lt_operand> lt_operand_of(const matrix_view<T>& v) noexcept {
  const index_t line = std::max<index_t>(v.cols, 1), column = std::max<index_t>(v.rows, 1);
  if (v.cols <= 1 || v.col_stride == 1)
    if (v.rows <= 1 || v.row_stride >= line) return lt_operand{.ld = v.rows <= 1 ? line : v.row_stride};
  if (v.rows <= 1 || v.row_stride == 1)
    if (v.cols <= 1 || v.col_stride >= column)
      return lt_operand{.ld = v.cols <= 1 ? column : v.col_stride, .transposed = true};
  return std::nullopt;
}

/// Everything that determines cuBLAS's algorithm for D ← f(α·A·B + β·D + bias), column by column.
struct lt_problem {
  cudaDataType_t type = CUDA_R_32F, result = CUDA_R_32F;  // of A and B; of D and the bias
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  index_t m = 0, n = 0, k = 0, ldd = 0;
  lt_operand a = {}, b = {};
  unsigned a_alignment = 16, b_alignment = 16, d_alignment = 16, bias_alignment = 0;  // bytes; 0: no bias

  /// Returns the type of α and β.
  [[nodiscard]] cudaDataType_t scale_type() const noexcept { return type == CUDA_R_64F ? type : CUDA_R_32F; }
  [[nodiscard]] auto key() const noexcept {
    return std::tie(type, result, compute, epilogue, m, n, k, ldd, a, b, a_alignment, b_alignment, d_alignment,
                    bias_alignment);
  }
  friend bool operator<(const lt_problem& x, const lt_problem& y) noexcept { return x.key() < y.key(); }
};

using lt_description = owned_handle<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using lt_layout = owned_handle<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using lt_preference = owned_handle<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

/// A product with its algorithm.
class lt_matmul {
 public:
  lt_matmul(const cuda_context& on, const lt_problem& p)
      : description_([&](cublasLtMatmulDesc_t* made) {
          check_call(cublasLtMatmulDescCreate(made, p.compute, p.scale_type()), "cublasLtMatmulDescCreate");
        }),
        a_(layout(p.type, p.m, p.k, p.a)),
        b_(layout(p.type, p.k, p.n, p.b)),
        d_(layout(p.result, p.m, p.n, {.ld = p.ldd})) {
    set(CUBLASLT_MATMUL_DESC_TRANSA, p.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, p.epilogue);
    if (p.bias_alignment != 0) set_bias(std::bit_cast<const void*>(std::uintptr_t{p.bias_alignment}));
    const lt_preference preference([](cublasLtMatmulPreference_t* made) {
      check_call(cublasLtMatmulPreferenceCreate(made), "cublasLtMatmulPreferenceCreate");
    });
    const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t what, const auto& value) {
      check_call(cublasLtMatmulPreferenceSetAttribute(preference.get(), what, &value, sizeof value),
                 "cublasLtMatmulPreferenceSetAttribute");
    };
    prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{on.lt_workspace().size_bytes()});
    if (p.type == CUDA_R_16BF || p.type == CUDA_R_16F)  // partial sums are not rounded
      prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, std::uint32_t{p.a_alignment});
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, std::uint32_t{p.b_alignment});
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, std::uint32_t{p.d_alignment});
    prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, std::uint32_t{p.d_alignment});
    int found = 0;
    const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        on.lt(), description_.get(), a_.get(), b_.get(), d_.get(), d_.get(), preference.get(), 1, &algorithm_, &found);
    const bool refused = status == CUBLAS_STATUS_NOT_SUPPORTED ||
                         (status == CUBLAS_STATUS_INVALID_VALUE && p.epilogue == CUBLASLT_EPILOGUE_BGRADA);
    if (!refused) check_call(status, "cublasLtMatmulAlgoGetHeuristic");
    is_offered_ = status == CUBLAS_STATUS_SUCCESS && found != 0;
  }

  /// Returns whether cuBLAS has an algorithm for the product.
  [[nodiscard]] bool is_offered() const noexcept { return is_offered_; }
  /// Returns how many times its algorithm's blocks fill the device; below one: the fraction that is busy.
  [[nodiscard]] float waves() const noexcept { return algorithm_.wavesCount; }

  /// Runs the product. alpha, beta: host numbers of the accumulation type. bias: memory that the epilogue reads or
  /// writes.
  void run(cuda_context& on, const void* alpha, const void* a, const void* b, const void* beta, void* d,
           const void* bias) {
    if (bias != nullptr) set_bias(bias);
    check_call(
        cublasLtMatmul(on.lt(), description_.get(), alpha, a, a_.get(), b, b_.get(), beta, d, d_.get(), d, d_.get(),
                       &algorithm_.algo, on.lt_workspace().data(), on.lt_workspace().size_bytes(), on.stream()),
        "cublasLtMatmul");
  }

 private:
  static lt_layout layout(cudaDataType_t type, index_t rows, index_t cols, lt_operand o) {
    const auto r = static_cast<std::uint64_t>(o.transposed ? cols : rows),
               c = static_cast<std::uint64_t>(o.transposed ? rows : cols);
    return lt_layout([&](cublasLtMatrixLayout_t* made) {
      check_call(cublasLtMatrixLayoutCreate(made, type, r, c, o.ld), "cublasLtMatrixLayoutCreate");
    });
  }
  /// Also set before an algorithm is chosen, because the choice depends on the alignment.
  void set_bias(const void* bias) { set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias); }
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t what, const Value& value) {
    check_call(cublasLtMatmulDescSetAttribute(description_.get(), what, &value, sizeof value),
               "cublasLtMatmulDescSetAttribute");
  }

  lt_description description_;
  lt_layout a_, b_, d_;
  cublasLtMatmulHeuristicResult_t algorithm_{};
  bool is_offered_ = false;
};

/// The products of a context; each is created once.
class lt_matmuls {
 public:
  explicit lt_matmuls(const cuda_context&) {}

  /// Returns null if cuBLAS has no algorithm for the product.
  [[nodiscard]] lt_matmul* find_if_offered(const cuda_context& on, const lt_problem& p) {
    auto found = made_.find(p);
    if (found == made_.end()) found = made_.emplace(p, lt_matmul(on, p)).first;
    return found->second.is_offered() ? &found->second : nullptr;
  }
  /// Throws: ridgepoint_cuda_failure if cuBLAS has no algorithm.
  [[nodiscard]] lt_matmul& find(const cuda_context& on, const lt_problem& p) {
    lt_matmul* const found = find_if_offered(on, p);
    if (found == nullptr)
      fail_in("cuBLAS", "cublasLtMatmulAlgoGetHeuristic", CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
              concat("no algorithm for a product of ", p.m, 'x', p.n, 'x', p.k));
    return *found;
  }

 private:
  std::map<lt_problem, lt_matmul> made_;
};

/// Returns the largest power of two, up to 256, that divides an address.
[[nodiscard]] inline unsigned alignment_of(const void* address) noexcept {
  const auto bits = std::bit_cast<std::uintptr_t>(address) | 256U;
  return static_cast<unsigned>(bits & (~bits + 1));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
