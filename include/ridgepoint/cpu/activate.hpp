// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/ops/activate.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const cpu& on, const activate_args<T>& a) {
  kernels::with_activation(a.f, a.slope, [&](const auto& formula) {
    for_parts(on, a.size, [&](index_t begin, index_t end) {
      kernels::map<T, 1, 1>({a.x + begin}, {a.y + begin}, end - begin, formula);
    });
  });
}

template <std::floating_point T>
void execute(const cpu& on, const activate_backward_args<T>& a) {
  const T* y = a.f == activation::none ? a.dy : a.y;           // the identity does not look at y
  kernels::with_activation(a.f, a.slope, [&](const auto& formula) {
    for_parts(on, a.size, [&](index_t begin, index_t end) {
      kernels::map<T, 2, 1>({y + begin, a.dy + begin}, {a.dx + begin}, end - begin, formula);
    });
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
