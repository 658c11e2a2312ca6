// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/reference/activation.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← f(x(i)).
template <scalar T>
void execute(const reference_backend&, const activate_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t i = 0; i < a.size; ++i) a.y[i] = T(apply(a.f, wide(a.x[i]), wide(compute_t<T>(a.slope))));
}

/// dx(i) ← f'(x(i))·dy(i), from y = f(x).
template <scalar T>
void execute(const reference_backend&, const activate_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t i = 0; i < a.size; ++i) {
    const wide y = a.f == activation::none ? wide(0) : wide(a.y[i]);
    a.dx[i] = T(apply_backward(a.f, y, wide(a.dy[i]), wide(compute_t<T>(a.slope))));
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
