// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/core/error.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A call into CUDA or one of its libraries that failed. what() names the call, its library, code and name, and what
/// the library says of it: "CUDA: cudaMallocAsync: cudaErrorMemoryAllocation (2): out of memory".
class gpu_error : public backend_error {
 public:
  gpu_error(const std::string& message, std::string library, int code, std::string name)
      : backend_error(message), library_(std::move(library)), code_(code), name_(std::move(name)) {}
  [[nodiscard]] const std::string& library() const noexcept { return library_; }  // "CUDA", "cuBLAS", "cuDNN", "NVRTC"
  [[nodiscard]] int code() const noexcept { return code_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }  // "cudaErrorMemoryAllocation"

 private:
  std::string library_;
  int code_;
  std::string name_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
