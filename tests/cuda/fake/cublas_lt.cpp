// SPDX-License-Identifier: MIT
// cublasLt: products as they are defined, column by column.
#include <cublasLt.h>

#include <cstring>
#include <stdexcept>

#include <ridgepoint/core/scalar.hpp>

#include "ledger.hpp"
#include "stream.hpp"

namespace {

struct description {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;
};
struct layout {
  cudaDataType_t type;
  std::uint64_t rows, cols;
  std::int64_t ld;
};

/// Of elements T, whose results are D, summed in what T is computed in.
template <class T, class D>
struct product {
  using number = ridgepoint::compute_t<T>;
  description how;
  layout a_layout, b_layout, d_layout;
  const T *a, *b;
  number alpha, beta;
  D* d;

  void run() const {
    const bool a_turned = how.a == CUBLAS_OP_T, b_turned = how.b == CUBLAS_OP_T;
    const std::uint64_t k = a_turned ? a_layout.rows : a_layout.cols;
    for (std::uint64_t j = 0; j < d_layout.cols; ++j)
      for (std::uint64_t i = 0; i < d_layout.rows; ++i) {
        number sum = 0;
        for (std::uint64_t p = 0; p < k; ++p)
          sum += number(a[at(a_layout, a_turned, i, p)]) * number(b[at(b_layout, b_turned, p, j)]);
        D& out = d[at(d_layout, false, i, j)];
        sum = alpha * sum + (beta == number(0) ? number(0) : beta * number(out));
        const bool biased = how.epilogue == CUBLASLT_EPILOGUE_BIAS || how.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS,
                   clipped = how.epilogue == CUBLASLT_EPILOGUE_RELU || how.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
        if (biased) sum += number(static_cast<const D*>(how.bias)[i]);
        out = D(clipped && sum < number(0) ? number(0) : sum);
      }
  }
  static std::size_t at(const layout& l, bool turned, std::uint64_t i, std::uint64_t j) {
    return turned ? j + i * static_cast<std::uint64_t>(l.ld) : i + j * static_cast<std::uint64_t>(l.ld);
  }
};

/// Whether extents and leading dimensions are what cublasLt takes.
bool fits(const description& how, const layout& a, const layout& b, const layout& d) {
  const bool a_turned = how.a == CUBLAS_OP_T, b_turned = how.b == CUBLAS_OP_T;
  for (const layout* l : {&a, &b, &d})
    if (l->rows == 0 || l->cols == 0 || l->ld < static_cast<std::int64_t>(l->rows)) return false;
  const bool widens = a.type == CUDA_R_16BF && d.type == CUDA_R_32F;
  if (a.type != b.type || (a.type != d.type && !widens)) return false;
  if (how.scale != (a.type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F)) return false;
  return (a_turned ? a.cols : a.rows) == d.rows && (b_turned ? b.rows : b.cols) == d.cols &&
         (a_turned ? a.rows : a.cols) == (b_turned ? b.cols : b.rows);
}

template <class T, class D = T>
void multiply(cudaStream_t on, const description& how, const layout& a, const layout& b, const layout& d,
              const void* alpha, const void* a_data, const void* b_data, const void* beta, void* d_data) {
  using number = ridgepoint::compute_t<T>;
  const product<T, D> p{.how = how,
                        .a_layout = a,
                        .b_layout = b,
                        .d_layout = d,
                        .a = static_cast<const T*>(a_data),
                        .b = static_cast<const T*>(b_data),
                        .alpha = *static_cast<const number*>(alpha),
                        .beta = *static_cast<const number*>(beta),
                        .d = static_cast<D*>(d_data)};
  fake::enqueue(on, [p] { p.run(); });
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* made) {
  return fake::makes("cublasLtCreate", made, [&] { return new int; }) ? CUBLAS_STATUS_SUCCESS
                                                                      : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t h) {
  delete fake::object<int>(h);
  fake::gone("cublasLtCreate");
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusName(cublasStatus_t s) {
  return s == CUBLAS_STATUS_NOT_SUPPORTED ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_ALLOC_FAILED";
}
const char* cublasLtGetStatusString(cublasStatus_t) { return "played"; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t scale) {
  return fake::makes("cublasLtMatmulDescCreate", made,
                     [&] { return new description{.compute = compute, .scale = scale}; })
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d) {
  delete fake::object<description>(d);
  fake::gone("cublasLtMatmulDescCreate");
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t what,
                                              const void* value, std::size_t bytes) {
  if (fake::fails("cublasLtMatmulDescSetAttribute")) return CUBLAS_STATUS_INVALID_VALUE;
  const auto set = [&](auto& member) {
    if (bytes != sizeof member) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&member, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  description& of = *fake::object<description>(d);
  switch (what) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(of.a);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(of.b);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(of.epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(of.bias);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, std::uint64_t rows,
                                          std::uint64_t cols, std::int64_t ld) {
  return fake::makes("cublasLtMatrixLayoutCreate", made,
                     [&] {
                       return new layout{type, rows, cols, ld};
                     })
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l) {
  delete fake::object<layout>(l);
  fake::gone("cublasLtMatrixLayoutCreate");
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) {
  return fake::makes("cublasLtMatmulPreferenceCreate", made, [&] { return new int; }) ? CUBLAS_STATUS_SUCCESS
                                                                                      : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p) {
  delete fake::object<int>(p);
  fake::gone("cublasLtMatmulPreferenceCreate");
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,
                                                    const void*, std::size_t) {
  return fake::fails("cublasLtMatmulPreferenceSetAttribute") ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t how, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t, int,
                                              cublasLtMatmulHeuristicResult_t* results, int* found) {
  if (fake::fails("cublasLtMatmulAlgoGetHeuristic")) return CUBLAS_STATUS_NOT_SUPPORTED;
  *found = fits(*fake::object<description>(how), *fake::object<layout>(a), *fake::object<layout>(b),
                *fake::object<layout>(d))
               ? 1
               : 0;
  *results = {};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t how, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*, void*, std::size_t,
                              cudaStream_t on) {
  if (fake::fails("cublasLtMatmul") || c != d) return CUBLAS_STATUS_INVALID_VALUE;
  const description& of = *fake::object<description>(how);
  const layout &al = *fake::object<layout>(a_layout), &bl = *fake::object<layout>(b_layout),
               &dl = *fake::object<layout>(d_layout);
  if (!fits(of, al, bl, dl)) return CUBLAS_STATUS_INVALID_VALUE;
  const auto run = [&](auto numbers) { numbers(on, of, al, bl, dl, alpha, a, b, beta, d); };
  using ridgepoint::bfloat16;
  if (al.type == CUDA_R_32F) run(multiply<float>);
  else if (al.type == CUDA_R_64F) run(multiply<double>);
  else if (dl.type == CUDA_R_32F) run(multiply<bfloat16, float>);
  else run(multiply<bfloat16>);
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
