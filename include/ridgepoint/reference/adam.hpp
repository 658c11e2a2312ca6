// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/reference/update_rule.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// m ← m + (1 − beta1)·(g − m); v ← v + (1 − beta2)·(g² − v); w ← w − rate_t·m / (√v + epsilon).
template <scalar T>
void execute(const reference_backend&, const adam_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto& [beta1, beta2, epsilon_hat] = u.options;
  const auto rest1 = static_cast<wide>(1 - beta1), rest2 = static_cast<wide>(1 - beta2),
             epsilon = static_cast<wide>(epsilon_hat),
             rate = static_cast<wide>(adam_rate(u.options, ruled_rate(u.rule, *u.state), updates_done(*u.state)));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), m_before(u.m[i]), v_before(u.v[i]);
    const wide m = m_before + rest1 * (g - m_before), v = v_before + rest2 * (g * g - v_before);
    u.m[i] = T(m);
    u.v[i] = stored_squares<T>(v);
    u.w[i] = T(by.weight(w) - rate * m / (sqrt(v) + epsilon));
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
