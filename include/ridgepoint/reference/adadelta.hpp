// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// a ← rho·a + (1 − rho)·g²; u = g·√(d + epsilon) / √(a + epsilon); w ← w − rate·u; d ← rho·d + (1 − rho)·u².
template <scalar T>
void execute(const reference_backend&, const adadelta_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const wide rho(u.options.rho), rest(1 - u.options.rho), epsilon(u.options.epsilon), rate(u.state->learning_rate);
  for (index_t i = 0; i < u.size; ++i) {
    const wide g(u.g[i]), d(u.d[i]), a = rho * wide(u.a[i]) + rest * (g * g);
    const wide step = g * sqrt(d + epsilon) / sqrt(a + epsilon);
    u.a[i] = T(a);
    u.w[i] = T(wide(u.w[i]) - rate * step);
    u.d[i] = T(rho * d + rest * (step * step));
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
