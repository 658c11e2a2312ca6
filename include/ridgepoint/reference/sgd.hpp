// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/sgd.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// w ← w − rate·g.
template <scalar T>
void execute(const reference_backend&, const sgd_update_args<T>& u) {
  using wide = accumulator_t<T>;
  const wide rate(u.state->learning_rate);
  for (index_t i = 0; i < u.size; ++i) u.w[i] = T(wide(u.w[i]) - rate * wide(u.g[i]));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
