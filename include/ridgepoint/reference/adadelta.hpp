// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/reference/update_rule.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// a ← rho·a + (1 − rho)·g²; u = g·√(d + epsilon) / √(a + epsilon); w ← w − rate·u; d ← rho·d + (1 − rho)·u².
template <scalar T>
void execute(const reference_backend&, const adadelta_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto rho = static_cast<wide>(u.options.rho), rest = static_cast<wide>(1 - u.options.rho),
             epsilon = static_cast<wide>(u.options.epsilon), rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), d(u.d[i]), a = rho * wide(u.a[i]) + rest * (g * g);
    const wide step = g * sqrt(d + epsilon) / sqrt(a + epsilon);
    u.a[i] = stored_squares<T>(a);
    u.w[i] = T(by.weight(w) - rate * step);
    u.d[i] = T(rho * d + rest * (step * step));
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
