// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// a ← rho·a + (1 − rho)·g²; w ← w − rate·g / (√a + epsilon).
template <scalar T>
void execute(const reference_backend&, const rmsprop_keras_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const wide rho(u.options.rho), rest(1 - u.options.rho), epsilon(u.options.epsilon), rate(u.state->learning_rate);
  for (index_t i = 0; i < u.size; ++i) {
    const wide g(u.g[i]), a = rho * wide(u.a[i]) + rest * (g * g);
    u.a[i] = T(a);
    u.w[i] = T(wide(u.w[i]) - rate * g / (sqrt(a) + epsilon));
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
