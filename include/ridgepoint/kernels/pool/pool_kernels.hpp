// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/stores.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

/// \file
/// Kernels of pooling, on rows [begin, end) of all images: of outputs, or backwards of inputs. Kernels of tiles are for
/// windows that tile the image and a register of channels or more. They run by outputs, and write a dx on the boundary
/// of a register as `how` says.

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct max_pool2d_rows {
  static constexpr auto id = kernel_id<T>("max_pool2d_rows");
  static void run(const max_pool2d_args<T>& a, index_t begin, index_t end) noexcept;
};
template <class T>
struct max_pool2d_backward_rows {
  static constexpr auto id = kernel_id<T>("max_pool2d_backward_rows");
  static void run(const max_pool2d_backward_args<T>& a, index_t begin, index_t end) noexcept;
};
template <class T>
struct max_pool2d_backward_tiles {
  static constexpr auto id = kernel_id<T>("max_pool2d_backward_tiles");
  static void run(const max_pool2d_backward_args<T>& a, stores how, index_t begin, index_t end) noexcept;
};

template <class T>
struct avg_pool2d_rows {
  static constexpr auto id = kernel_id<T>("avg_pool2d_rows");
  static void run(const avg_pool2d_args<T>& a, index_t begin, index_t end) noexcept;
};

/// The shares of outputs that each input of their windows gets: one number, or one for each output of an image.
template <class T>
struct mean_shares {
  const T* shares;
  bool alike;
};
template <class T>
struct avg_pool2d_backward_rows {
  static constexpr auto id = kernel_id<T>("avg_pool2d_backward_rows");
  static void run(const avg_pool2d_backward_args<T>& a, const mean_shares<T>& by, index_t begin, index_t end) noexcept;
};
template <class T>
struct avg_pool2d_backward_tiles {
  static constexpr auto id = kernel_id<T>("avg_pool2d_backward_tiles");
  static void run(const avg_pool2d_backward_args<T>& a, T share, stores how, index_t begin, index_t end) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/pool/rows.hpp>
#endif
