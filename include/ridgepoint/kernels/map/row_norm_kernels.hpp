// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/map/column_sums.hpp>
#include <ridgepoint/ops/layer_norm.hpp>

/// \file
/// Kernels of layer_norm().
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Rows [begin, end).
template <class T>
struct layer_norm_chunk {
  static constexpr auto id = kernel_id<T>("layer_norm_chunk");
  static void run(const layer_norm_args<T>& a, index_t begin, index_t end) noexcept;
};

/// Rows [begin, end): dx, and their contributions to dgamma and dbeta.
template <class T>
struct layer_norm_backward_chunk {
  static constexpr auto id = kernel_id<T>("layer_norm_backward_chunk");
  static void run(const layer_norm_backward_args<T>& a, index_t begin, index_t end, const column_sums<T>& work,
                  weight_sums* of) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/map/row_norm.hpp>
#endif
