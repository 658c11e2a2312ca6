// SPDX-License-Identifier: MIT
// A fake cublasLt: products by their definition, column by column.
#include <cublasLt.h>

#include <algorithm>
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
std::size_t bytes_of(cudaDataType_t type) { return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2; }
struct layout {
  cudaDataType_t type;
  std::uint64_t rows, cols;
  std::int64_t ld;

  [[nodiscard]] std::size_t element_bytes() const { return bytes_of(type); }
  [[nodiscard]] std::size_t bytes() const {
    return ((cols - 1) * static_cast<std::uint64_t>(ld) + rows) * element_bytes();
  }
};
struct preference {
  std::uint64_t workspace_bytes = 0;
  std::uint32_t a = 256, b = 256, c = 256, d = 256;  // alignments of the operands
  std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
};
/// Returns a hash of a product without its addresses.
std::uint64_t digest_of(const description& how, const layout& a, const layout& b, const layout& d) {
  fake::digest all;
  all.add(how.compute).add(how.scale).add(how.a).add(how.b).add(how.epilogue);
  for (const layout* l : {&a, &b, &d}) all.add(l->type).add(l->rows).add(l->cols).add(l->ld);
  return all.value();
}
/// An algorithm of one problem, as stored in the opaque cublasLtMatmulAlgo_t.
struct algorithm {
  std::uint64_t problem, workspace_bytes;
  std::uint32_t a, b, d, bias;
};
static_assert(sizeof(algorithm) <= sizeof(cublasLtMatmulAlgo_t));

bool has_bias(const description& how) {
  return how.epilogue == CUBLASLT_EPILOGUE_BIAS || how.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
}
/// Returns whether the product also sums the rows of A, or the columns of B, into the bias.
bool sums_operand(const description& how) {
  return how.epilogue == CUBLASLT_EPILOGUE_BGRADA || how.epilogue == CUBLASLT_EPILOGUE_BGRADB;
}
/// Returns the number of elements of the bias.
std::uint64_t bias_size(const description& how, const layout& d) {
  if (sums_operand(how)) return how.epilogue == CUBLASLT_EPILOGUE_BGRADA ? d.rows : d.cols;
  return has_bias(how) ? d.rows : 0;
}
/// Returns the alignment of an address, up to 256; a null address is fully aligned.
std::uint32_t alignment_of(const void* at) {
  const auto bits = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at)) | 256U;
  return bits & (~bits + 1);
}

/// A product of elements T with results D, summed in the type T is computed in.
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
        const bool biased = has_bias(how),
                   clipped = how.epilogue == CUBLASLT_EPILOGUE_RELU || how.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
        if (biased) sum += number(static_cast<const D*>(how.bias)[i]);
        out = D(clipped && sum < number(0) ? number(0) : sum);
      }
    const bool of_a = how.epilogue == CUBLASLT_EPILOGUE_BGRADA;
    for (std::uint64_t i = 0; sums_operand(how) && i < bias_size(how, d_layout); ++i) {
      number sum = 0;
      for (std::uint64_t p = 0; p < k; ++p)
        sum += of_a ? number(a[at(a_layout, a_turned, i, p)]) : number(b[at(b_layout, b_turned, p, i)]);
      static_cast<D*>(const_cast<void*>(how.bias))[i] = D(sum);
    }
  }
  static std::size_t at(const layout& l, bool turned, std::uint64_t i, std::uint64_t j) {
    return turned ? j + i * static_cast<std::uint64_t>(l.ld) : i + j * static_cast<std::uint64_t>(l.ld);
  }
};

/// Returns whether cublasLt supports the extents and leading dimensions.
bool fits(const description& how, const layout& a, const layout& b, const layout& d) {
  const bool a_turned = how.a == CUBLAS_OP_T, b_turned = how.b == CUBLAS_OP_T;
  for (const layout* l : {&a, &b, &d})
    if (l->rows == 0 || l->cols == 0 || l->ld < static_cast<std::int64_t>(l->rows)) return false;
  const bool widens = (a.type == CUDA_R_16BF || a.type == CUDA_R_16F) && d.type == CUDA_R_32F;
  if (a.type != b.type || (a.type != d.type && !widens)) return false;
  if (how.scale != (a.type == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F)) return false;
  return (a_turned ? a.cols : a.rows) == d.rows && (b_turned ? b.rows : b.cols) == d.cols &&
         (a_turned ? a.rows : a.cols) == (b_turned ? b.cols : b.rows);
}

/// Operands of a product.
struct operands {
  const void *alpha, *a, *b, *beta;
  void* d;
  const void* workspace;
  std::size_t workspace_bytes;
};
/// Returns whether an algorithm is for this problem, and its workspace and addresses are as it requires.
bool is_of(const algorithm& by, const description& how, const layout& a, const layout& b, const layout& d,
           const operands& o) {
  const auto multiple = [](const void* at, std::uint32_t of) { return reinterpret_cast<std::uintptr_t>(at) % of == 0; };
  const bool fits = by.problem == digest_of(how, a, b, d) && o.workspace_bytes >= by.workspace_bytes &&
                    multiple(o.a, by.a) && multiple(o.b, by.b) && multiple(o.d, by.d) && multiple(o.workspace, 256) &&
                    (bias_size(how, d) == 0 || (how.bias != nullptr && multiple(how.bias, by.bias))) &&
                    fake::on_device(o.workspace, o.workspace_bytes);
  return fake::is_legal(fits, "cublasLtMatmul by an algorithm for something else");
}
/// Notes a product on a silent machine: all operands must be allocated.
cublasStatus_t note_product(cudaStream_t on, const description& how, const layout& a, const layout& b, const layout& d,
                            const operands& o) {
  const auto is_there = [&](const void* at, std::size_t bytes, std::size_t alignment) {
    return fake::may_use(on, at, bytes, alignment, "cublasLtMatmul on memory that is not allocated");
  };
  bool legal = is_there(o.a, a.bytes(), a.element_bytes()) && is_there(o.b, b.bytes(), b.element_bytes()) &&
               is_there(o.d, d.bytes(), d.element_bytes());
  if (const std::uint64_t size = bias_size(how, d); size != 0)
    legal = legal && is_there(how.bias, size * d.element_bytes(), d.element_bytes());
  if (!legal) return CUBLAS_STATUS_INVALID_VALUE;
  fake::digest all;
  all.add(digest_of(how, a, b, d)).add(o.a).add(o.b).add(o.d).add(how.bias);
  for (const void* factor : {o.alpha, o.beta}) all.add(factor, bytes_of(how.scale));
  const double k = static_cast<double>(how.a == CUBLAS_OP_T ? a.rows : a.cols);
  fake::note(on, {"cublasLtMatmul", all.value(), 2.0 * static_cast<double>(d.rows) * static_cast<double>(d.cols) * k});
  return CUBLAS_STATUS_SUCCESS;
}

template <class T, class D = T>
void multiply(cudaStream_t on, const description& how, const layout& a, const layout& b, const layout& d,
              const operands& o) {
  using number = ridgepoint::compute_t<T>;
  const product<T, D> p{.how = how,
                        .a_layout = a,
                        .b_layout = b,
                        .d_layout = d,
                        .a = static_cast<const T*>(o.a),
                        .b = static_cast<const T*>(o.b),
                        .alpha = *static_cast<const number*>(o.alpha),
                        .beta = *static_cast<const number*>(o.beta),
                        .d = static_cast<D*>(o.d)};
  fake::enqueue(on, [p] { p.run(); });
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* made) {
  return fake::makes("cublasLtCreate", made, [&] { return new int(fake::device_of_thread()); })
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t h) {
  delete fake::object<int>(h);
  fake::gone("cublasLtCreate");
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusName(cublasStatus_t s) {
  switch (s) {
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    default:
      return "CUBLAS_STATUS_ALLOC_FAILED";
  }
}
const char* cublasLtGetStatusString(cublasStatus_t) { return "fake"; }

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
  return fake::makes("cublasLtMatmulPreferenceCreate", made, [&] { return new preference; })
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_ALLOC_FAILED;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p) {
  delete fake::object<preference>(p);
  fake::gone("cublasLtMatmulPreferenceCreate");
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p,
                                                    cublasLtMatmulPreferenceAttributes_t what, const void* value,
                                                    std::size_t bytes) {
  if (fake::fails("cublasLtMatmulPreferenceSetAttribute")) return CUBLAS_STATUS_INVALID_VALUE;
  const auto set = [&](auto& member) {
    if (bytes != sizeof member) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&member, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  preference& of = *fake::object<preference>(p);
  switch (what) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(of.workspace_bytes);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return set(of.reductions);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return set(of.a);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return set(of.b);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return set(of.c);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set(of.d);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t how, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preferred, int,
                                              cublasLtMatmulHeuristicResult_t* results, int* found) {
  if (fake::fails("cublasLtMatmulAlgoGetHeuristic")) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (!fake::outside_recordings("cublasLtMatmulAlgoGetHeuristic")) return CUBLAS_STATUS_INVALID_VALUE;
  const description& of = *fake::object<description>(how);
  const layout &al = *fake::object<layout>(a), &bl = *fake::object<layout>(b), &dl = *fake::object<layout>(d);
  *found = fits(of, al, bl, dl) ? 1 : 0;
  *results = {};
  const float busy = sums_operand(of) ? fake::scenario().sums_in_products : 1.0F;
  if (busy == 0 || (sums_operand(of) && al.type == CUDA_R_64F))
    return fake::scenario().none_is_invalid ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_NOT_SUPPORTED;
  const preference& p = *fake::object<preference>(preferred);
  const algorithm chosen{.problem = digest_of(of, al, bl, dl),
                         .workspace_bytes = std::min<std::uint64_t>(p.workspace_bytes, 1 << 20),
                         .a = p.a,
                         .b = p.b,
                         .d = p.d,
                         .bias = alignment_of(of.bias)};
  std::memcpy(&results->algo, &chosen, sizeof chosen);
  results->workspaceSize = chosen.workspace_bytes;
  results->wavesCount = busy;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t h, cublasLtMatmulDesc_t how, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout,
                              const void* beta, const void* c, cublasLtMatrixLayout_t, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algo, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t on) {
  if (fake::fails("cublasLtMatmul")) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (c != d || !fake::is_current(on, *fake::object<int>(h), "cublasLtMatmul")) return CUBLAS_STATUS_INVALID_VALUE;
  const description& of = *fake::object<description>(how);
  const layout &al = *fake::object<layout>(a_layout), &bl = *fake::object<layout>(b_layout),
               &dl = *fake::object<layout>(d_layout);
  if (!fits(of, al, bl, dl)) return CUBLAS_STATUS_INVALID_VALUE;
  algorithm by{};
  std::memcpy(&by, algo, sizeof by);
  const operands all{alpha, a, b, beta, d, workspace, workspace_bytes};
  if (!is_of(by, of, al, bl, dl, all)) return CUBLAS_STATUS_INVALID_VALUE;
  if (fake::scenario().silent) return note_product(on, of, al, bl, dl, all);
  const auto run = [&](auto numbers) { numbers(on, of, al, bl, dl, all); };
  const auto run_short = [&]<class T>(T) {
    if (dl.type == CUDA_R_32F) run(multiply<T, float>);
    else run(multiply<T>);
  };
  if (al.type == CUDA_R_32F) run(multiply<float>);
  else if (al.type == CUDA_R_64F) run(multiply<double>);
  else if (al.type == CUDA_R_16BF) run_short(ridgepoint::bfloat16());
  else run_short(ridgepoint::float16());
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
