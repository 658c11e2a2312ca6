// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/pad_channels.hpp>
#include <ridgepoint/ops/positions.hpp>
#include <ridgepoint/ops/upsample.hpp>

/// \file
/// Kernels that copy and blend rows: rows [begin, end) of a matrix, or of all images.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/image_rows.hpp>
#endif
