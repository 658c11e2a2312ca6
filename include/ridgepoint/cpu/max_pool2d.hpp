// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/pool_rows.hpp>
#include <ridgepoint/kernels/pool/max.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const max_pool2d_args<T>& a) {
  if (a.index == nullptr)
    detail::pool_outputs<T>(on, a.geometry, kernels::max_window<T, false>{a.x, a.y, nullptr, a.geometry.c});
  else detail::pool_outputs<T>(on, a.geometry, kernels::max_window<T, true>{a.x, a.y, a.index, a.geometry.c});
}

template <std::floating_point T>
void execute(const native_cpu& on, const max_pool2d_backward_args<T>& a) {
  detail::pool_inputs<T>(on, a.geometry, kernels::max_gradient<T>{a.dy, a.index, a.dx, a.geometry.c});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
