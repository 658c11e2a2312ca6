// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/map_parts.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/ops/activate.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const activate_args<T>& a) {
  kernels::with_activation(a.f, a.slope,
                           [&](const auto& formula) { map_parts<T, 1>(on, {a.x}, a.y, a.size, formula); });
}

template <std::floating_point T>
void execute(const native_cpu& on, const activate_backward_args<T>& a) {
  const T* y = a.f == activation::none ? a.dy : a.y;  // the identity does not look at y
  kernels::with_activation(a.f, a.slope, [&](const auto& formula) {
    map_parts<T, 2>(on, {y, a.dy}, a.dx, a.size, formula);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
