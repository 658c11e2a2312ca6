// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/recurrent/recurrent_kernels.hpp>
#include <ridgepoint/ops/lstm.hpp>

/// \file
/// Kernels of lstm(): c and h of some units from their gates' sums; c(t − 1) is where it was saved, or kept. And the da
/// of some samples; dc is kept.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct lstm_step {
  static constexpr auto id = kernel_id<T>("lstm_step");
  static void run(const lstm_args<T>& a, const cell_place<T>& at) noexcept;
};
template <class T>
struct lstm_step_back {
  static constexpr auto id = kernel_id<T>("lstm_step_back");
  static void run(const lstm_backward_args<T>& a, const cell_place_back<T>& at) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/recurrent/lstm_cell.hpp>
#endif
