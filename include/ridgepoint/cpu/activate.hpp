// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/in_floats.hpp>
#include <ridgepoint/cpu/map_parts.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/ops/activate.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const activate_args<T>& a) {
  kernels::with_activation(a.f, static_cast<T>(a.slope),
                           [&](const auto& formula) { map_parts<T, 1>(on, {a.x}, a.y, a.size, formula); });
}

template <std::floating_point T>
void execute(const native_cpu& on, const activate_backward_args<T>& a) {
  const T* y = a.f == activation::none ? a.dy : a.y;  // the identity does not look at y
  kernels::with_activation(a.f, static_cast<T>(a.slope), [&](const auto& formula) {
    map_parts<T, 2>(on, {y, a.dy}, a.dx, a.size, formula);
  });
}

inline void execute(const native_cpu& on, const activate_args<bfloat16>& a) {
  in_floats<1>(on, {a.x}, a.y, a.size, [&](auto& x, index_t n) {
    execute(native_cpu(1), activate_args<float>{.f = a.f, .slope = a.slope, .size = n, .x = x[0], .y = x[0]});
  });
}

inline void execute(const native_cpu& on, const activate_backward_args<bfloat16>& a) {
  const bfloat16* y = a.f == activation::none ? a.dy : a.y;
  in_floats<2>(on, {y, a.dy}, a.dx, a.size, [&](auto& x, index_t n) {
    execute(native_cpu(1),
            activate_backward_args<float>{.f = a.f, .slope = a.slope, .size = n, .y = x[0], .dy = x[1], .dx = x[1]});
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
