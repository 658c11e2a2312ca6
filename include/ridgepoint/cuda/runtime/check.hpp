// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nvrtc.h>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/config.hpp>
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

/// Owns a library's handle and frees it with Destroy, ignoring the status.
template <class Handle, auto Destroy>
class owned_handle {
  static_assert(std::is_pointer_v<Handle>);
  struct destroyer {
    using pointer = Handle;
    void operator()(Handle h) const noexcept { static_cast<void>(Destroy(h)); }
  };

 public:
  owned_handle() = default;
  /// Creates the handle by make(&handle).
  template <class Make>
  explicit owned_handle(const Make& make) {
    Handle made = nullptr;
    make(&made);
    held_.reset(made);
  }
  [[nodiscard]] Handle get() const noexcept { return held_.get(); }

 private:
  std::unique_ptr<std::remove_pointer_t<Handle>, destroyer> held_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
