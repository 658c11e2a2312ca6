// SPDX-License-Identifier: MIT
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <string>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/cuda/cuda_api.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Throws a failure such as "CUDA: cudaMalloc: cudaErrorMemoryAllocation (2): out of memory".
[[noreturn]] inline void fail_in(const char* library, std::string_view call, int code, const std::string& name,
                                 const std::string& said) {
  throw ridgepoint_cuda_failure(
      concat(library, ": ", call, ": ", name, " (", code, ')', said.empty() ? "" : ": ", said), library, code, name);
}

/// Throws: ridgepoint_cuda_failure, naming the call, unless the status is success. The process can continue: CUDA's
/// error is cleared unless the device is lost.
inline void check_call(cudaError_t status, std::string_view call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  fail_in("CUDA", call, status, cudaGetErrorName(status), cudaGetErrorString(status));
}
inline void check_call(cublasStatus_t status, std::string_view call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    fail_in("cuBLAS", call, status, cublasLtGetStatusName(status), cublasLtGetStatusString(status));
}
inline void check_call(nvrtcResult status, std::string_view call, const std::string& log = {}) {
  if (status != NVRTC_SUCCESS) fail_in("NVRTC", call, status, nvrtcGetErrorString(status), log);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
