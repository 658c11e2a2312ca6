// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/ops/pad_channels.hpp>
#include <ridgepoint/ops/positions.hpp>
#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>
#include <ridgepoint/ops/upsample.hpp>

/// \file
/// Kernels of element-wise ops, on elements [begin, end). Register-aligned outputs are written as `how` specifies,
/// others through the caches.
///
/// Kernels that copy and blend rows: rows [begin, end) of a matrix, or of all images.
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

/// Drops elements [begin, end), begin a multiple of dropout_mask::block; for sequences, elements of the mask shared by
/// all steps.
template <class T>
struct dropout_chunk {
  static constexpr auto id = kernel_id<T>("dropout_chunk");
  static void run(const dropout_args<T>& d, index_t begin, index_t end) noexcept;
};

template <class T>
struct pad_channels_rows {
  static constexpr auto id = kernel_id<T>("pad_channels_rows");
  static void run(const pad_channels_args<T>& a, index_t begin, index_t end) noexcept;
};
template <class T>
struct pad_channels_backward_rows {
  static constexpr auto id = kernel_id<T>("pad_channels_backward_rows");
  static void run(const pad_channels_backward_args<T>& a, index_t begin, index_t end) noexcept;
};
template <class T>
struct concat_channels_rows {
  static constexpr auto id = kernel_id<T>("concat_channels_rows");
  static void run(const concat_channels_args<T>& a, index_t begin, index_t end) noexcept;
};

/// Rows of y; `memory` holds a row of x.
template <class T>
struct upsample_rows {
  static constexpr auto id = kernel_id<T>("upsample_rows");
  static void run(const upsample_args<T>& a, index_t begin, index_t end, T* memory) noexcept;
};
/// Rows of dx; `memory` holds a row of dy.
template <class T>
struct upsample_backward_rows {
  static constexpr auto id = kernel_id<T>("upsample_backward_rows");
  static void run(const upsample_backward_args<T>& a, index_t begin, index_t end, T* memory) noexcept;
};

/// One step of all samples; `memory` holds its sinusoids.
template <class T>
struct positions_step {
  static constexpr auto id = kernel_id<T>("positions_step");
  static void run(const positions_args<T>& a, index_t step, T* memory) noexcept;
};

/// sum(i) ← Σ_k first(k·step + i) for i < n and k < count, in the order of k. Requires: count ≥ 1.
template <class T>
struct add_arrays {
  static constexpr auto id = kernel_id<T>("add_arrays");
  static void run(const T* first, index_t count, index_t step, T* sum, index_t n) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/elementwise.hpp>
#endif
