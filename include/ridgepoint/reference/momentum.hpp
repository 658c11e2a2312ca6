// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// a ← momentum·a + g; w ← w − rate·a.
template <scalar T>
void execute(const reference_backend&, const momentum_update_args<T>& u) {
  using wide = accumulator_t<T>;
  const wide mu(u.options.momentum), rate(u.state->learning_rate);
  for (index_t i = 0; i < u.size; ++i) {
    const wide a = mu * wide(u.a[i]) + wide(u.g[i]);
    u.a[i] = T(a);
    u.w[i] = T(wide(u.w[i]) - rate * a);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
