// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/core/scalar.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>
#include <ridgepoint/ops/mse.hpp>
#include <ridgepoint/ops/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>

/// \file
/// Kernels of element-wise losses, on elements [begin, end): their sums, and the gradient if dy is not null.
///
/// Kernels of softmax, on rows [begin, end). For bfloat16, `memory` holds as many floats as these rows have elements.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Returns Σ (y − t)².
template <class T>
struct mse_chunk {
  static constexpr auto id = kernel_id<T>("mse_chunk");
  static std::array<double, 1> run(const mse_args<T>& a, index_t begin, index_t end) noexcept;
};

/// Returns Σ of the losses, and the number of correct logits.
template <class T>
struct binary_cross_entropy_chunk {
  static constexpr auto id = kernel_id<T>("binary_cross_entropy_chunk");
  static std::array<double, 2> run(const binary_cross_entropy_args<T>& a, index_t begin, index_t end) noexcept;
};

/// Focal loss of n logits, and the number of correct ones; the parameters of focal_options.
template <class T>
struct focal_chunk {
  static constexpr auto id = kernel_id<T>("focal_chunk");
  static std::array<double, 2> run(const T* y, const T* target, T* dy, index_t n, T alpha, T rest, T scale) noexcept;
};

/// Huber loss of n elements.
template <class T>
struct huber_chunk {
  static constexpr auto id = kernel_id<T>("huber_chunk");
  static std::array<double, 1> run(const T* y, const T* target, T* dy, index_t n, T delta, T slope) noexcept;
};

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
#include <ridgepoint/kernels/map/loss.hpp>
#endif
