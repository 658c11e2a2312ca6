// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

/// \file
/// Kernels of softmax, on rows [begin, end). For bfloat16, `memory` holds as many floats as these rows have elements.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct softmax_chunk {
  static constexpr auto id = kernel_id<T>("softmax_chunk");
  static void run(const softmax_args<T>& s, index_t begin, index_t end, float* memory) noexcept;
};

/// Returns Σ of the losses, and the number of correct rows. Gradients are multiplied by `weight`.
template <class T>
struct softmax_cross_entropy_chunk {
  static constexpr auto id = kernel_id<T>("softmax_cross_entropy_chunk");
  static std::array<double, 2> run(const softmax_cross_entropy_args<T>& s, compute_t<T> weight, index_t begin,
                                   index_t end, float* memory) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/softmax.hpp>
#endif
