// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/reference/update_rule.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// a ← momentum·a + g; w ← w − rate·a.
template <scalar T>
void execute(const reference_backend&, const momentum_update_args<T>& u) {
  using wide = accumulator_t<T>;
  const auto mu = static_cast<wide>(u.options.momentum), rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w), a = mu * wide(u.a[i]) + g;
    u.a[i] = T(a);
    u.w[i] = T(by.weight(w) - rate * a);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
