// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// ms ← ms + (1 − rho)·(g² − ms); mom ← momentum·mom + rate·g / √(ms + epsilon); w ← w − mom.
template <scalar T>
void execute(const reference_backend&, const rmsprop_tf1_update_args<T>& u) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const wide rest(1 - u.options.rho), mu(u.options.momentum), epsilon(u.options.epsilon), rate(u.state->learning_rate);
  for (index_t i = 0; i < u.size; ++i) {
    const wide g(u.g[i]), ms_before(u.ms[i]), ms = ms_before + rest * (g * g - ms_before);
    const wide mom = mu * wide(u.mom[i]) + rate * g / sqrt(ms + epsilon);
    u.ms[i] = T(ms);
    u.mom[i] = T(mom);
    u.w[i] = T(wide(u.w[i]) - mom);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
