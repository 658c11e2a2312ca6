// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/convert.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← x(i), rounded once.
template <scalar To, scalar From>
void execute(const reference_backend&, const convert_args<To, From>& a) {
  for (index_t i = 0; i < a.size; ++i) a.y[i] = static_cast<To>(a.x[i]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
