// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/runtime/context.hpp>
#include <ridgepoint/cuda/runtime/recurrent_problem.hpp>

/// \file
/// class recurrent_library: cuDNN's recurrent layers, if cuDNN is available.
#if defined(RIDGEPOINT_WITH_CUDNN)
#include <ridgepoint/cuda/runtime/cudnn_recurrent.hpp>
#else
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Replacement for builds without cuDNN: has no plans for recurrent layers.
class recurrent_library {
 public:
  struct plan {
    [[nodiscard]] std::size_t weight_bytes() const noexcept { return 0; }
    [[nodiscard]] std::size_t workspace_bytes() const noexcept { return 0; }
    [[nodiscard]] std::size_t reserve_bytes() const noexcept { return 0; }
    void forward(const recurrent_pass&, const auto&) const noexcept {}
    void backward(const recurrent_pass&, const recurrent_pass_back&, const auto&, const auto&,
                  const auto&) const noexcept {}
  };
  explicit recurrent_library(const cuda_context&) {}
  [[nodiscard]] plan* find(const recurrent_problem&) const noexcept { return nullptr; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
#endif
