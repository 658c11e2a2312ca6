// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/recurrent/recurrent_kernels.hpp>
#include <ridgepoint/ops/gru.hpp>

/// \file
/// Kernels of gru(): h(t) of some units from their gates' sums; with reset before in two phases, z kept meanwhile. And
/// the da of some samples, and the part of the gradient of the state before that goes through no product.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct gru_step {
  static constexpr auto id = kernel_id<T>("gru_step");
  static void run(const gru_args<T>& a, const cell_place<T>& at) noexcept;
};
template <class T>
struct gru_step_back {
  static constexpr auto id = kernel_id<T>("gru_step_back");
  static void run(const gru_backward_args<T>& a, const cell_place_back<T>& at) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/recurrent/gru_cell.hpp>
#endif
