// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/stores.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/positions.hpp>
#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>

/// \file
/// Kernels of element-wise ops, on elements [begin, end). Register-aligned outputs are written as `how` specifies,
/// others through the caches.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct activate_chunk {
  static constexpr auto id = kernel_id<T>("activate_chunk");
  static void run(const activate_args<T>& a, stores how, index_t begin, index_t end) noexcept;
};

template <class T>
struct activate_backward_chunk {
  static constexpr auto id = kernel_id<T>("activate_backward_chunk");
  static void run(const activate_backward_args<T>& a, stores how, index_t begin, index_t end) noexcept;
};

template <class T>
struct add_chunk {
  static constexpr auto id = kernel_id<T>("add_chunk");
  static void run(const add_args<T>& a, stores how, index_t begin, index_t end) noexcept;
};

template <class T>
struct positions_backward_chunk {
  static constexpr auto id = kernel_id<T>("positions_backward_chunk");
  static void run(const positions_backward_args<T>& a, stores how, index_t begin, index_t end) noexcept;
};

/// Returns Σ x².
template <class T>
struct sum_of_squares_chunk {
  static constexpr auto id = kernel_id<T>("sum_of_squares_chunk");
  static double run(const sum_of_squares_args<T>& a, index_t begin, index_t end) noexcept;
};

/// Ends a step. It is a kernel because FMA changes how learning rates round.
struct advance_step {
  static constexpr auto id = kernel_id<>("advance_step");
  static void run(const advance_args& a) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/elementwise.hpp>
#endif
