// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

/// \file
/// Kernels of pooling, on rows [begin, end) of all images: rows of outputs, or of inputs in backward passes. Tile
/// kernels are for windows that tile the image and at least a register of channels. They run by outputs, and write a
/// register-aligned dx as `how` specifies.

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

/// Share of each output that every input of its window gets: one number, or one per output of an image.
template <class T>
struct mean_shares {
  const T* shares;
  bool equal;
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
