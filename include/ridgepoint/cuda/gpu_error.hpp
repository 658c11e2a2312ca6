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

/// No memory is left for what is wanted, of a device or of the host's that it reads. Where a network is made, what()
/// ends in what all of it takes: "…: out of memory; all of it takes 2.19 GB: batch 154 MB, parameters 102 MB, …".
class gpu_memory_error : public gpu_error {
  using gpu_error::gpu_error;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
