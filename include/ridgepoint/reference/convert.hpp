// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/convert.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← x(i), or that times the factor of a loss scale, rounded once.
template <scalar To, scalar From>
void execute(const reference_backend&, const convert_args<To, From>& a) {
  using wide = accumulator_t<From>;
  if (a.scale_state == nullptr) {
    for (index_t i = 0; i < a.size; ++i) a.y[i] = static_cast<To>(a.x[i]);
  } else {
    const auto factor = static_cast<wide>(detail::conversion_factor(a));
    for (index_t i = 0; i < a.size; ++i) a.y[i] = static_cast<To>(static_cast<wide>(a.x[i]) * factor);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
