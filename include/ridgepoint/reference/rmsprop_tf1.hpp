// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/reference/update_rule.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// ms ← ms + (1 − rho)·(g² − ms); mom ← momentum·mom + rate·g / √(ms + epsilon); w ← w − mom.
template <scalar T>
void execute(const reference_backend&, const rmsprop_tf1_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto rest = static_cast<wide>(1 - u.options.rho), mu = static_cast<wide>(u.options.momentum),
             epsilon = static_cast<wide>(u.options.epsilon), rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), ms_before(u.ms[i]),
                          ms = ms_before + rest * (g * g - ms_before);
    const wide mom = mu * wide(u.mom[i]) + rate * g / sqrt(ms + epsilon);
    u.ms[i] = stored_squares<T>(ms);
    u.mom[i] = T(mom);
    u.w[i] = T(by.weight(w) - mom);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
