// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/convolution_problem.hpp>

/// \file
/// class convolution_library: cuDNN's convolutions, if cuDNN is available.
#if defined(RIDGEPOINT_WITH_CUDNN)
#include <ridgepoint/cuda/runtime/cudnn_convolutions.hpp>
#else
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Replacement for builds without cuDNN: has no plans.
class convolution_library {
 public:
  struct plan {
    [[nodiscard]] std::size_t workspace_bytes() const noexcept { return 0; }
  };
  explicit convolution_library(const cuda_context&) {}
  [[nodiscard]] const plan* find(const convolution_problem&) const noexcept { return nullptr; }
  void run(const plan&, const void*, const void*, const void*, void*) const noexcept {}
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
#endif
