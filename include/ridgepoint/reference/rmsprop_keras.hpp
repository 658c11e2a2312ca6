// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/reference/update_rule.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// a ← rho·a + (1 − rho)·g²; w ← w − rate·g / (√a + epsilon).
template <scalar T>
void execute(const reference_backend&, const rmsprop_keras_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto rho = static_cast<wide>(u.options.rho), rest = static_cast<wide>(1 - u.options.rho),
             epsilon = static_cast<wide>(u.options.epsilon), rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), a = rho * wide(u.a[i]) + rest * (g * g);
    u.a[i] = stored_squares<T>(a);
    u.w[i] = T(by.weight(w) - rate * g / (sqrt(a) + epsilon));
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
