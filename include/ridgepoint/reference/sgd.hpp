// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/sgd.hpp>
#include <ridgepoint/reference/update_rule.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// w ← w − rate·g.
template <scalar T>
void execute(const reference_backend&, const sgd_update_args<T>& u) {
  using wide = accumulator_t<T>;
  const auto rate = static_cast<wide>(ruled_rate(u.rule, *u.state));
  const ruled<wide> by(u.rule, *u.state);
  for_each_updated(u, [&](index_t i, index_t k) {
    const wide w(u.w[i]), g = by.gradient(wide(u.g[k]), w);
    u.w[i] = T(by.weight(w) - rate * g);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
