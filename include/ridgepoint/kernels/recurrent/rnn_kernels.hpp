// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/recurrent/recurrent_kernels.hpp>
#include <ridgepoint/ops/rnn.hpp>

/// \file
/// Kernels of rnn(): h(t) of some units from their sums; and da ← f'(h(t))·dh of some samples.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class T>
struct rnn_step {
  static constexpr auto id = kernel_id<T>("rnn_step");
  static void run(const rnn_args<T>& a, const cell_place<T>& at) noexcept;
};
template <class T>
struct rnn_step_back {
  static constexpr auto id = kernel_id<T>("rnn_step_back");
  static void run(const rnn_backward_args<T>& a, const cell_place_back<T>& at) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/recurrent/rnn_cell.hpp>
#endif
