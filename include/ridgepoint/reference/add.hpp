// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← a(i) + b(i).
template <scalar T>
void execute(const reference_backend&, const add_args<T>& s) {
  for (index_t i = 0; i < s.size; ++i) s.y[i] = s.a[i] + s.b[i];
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
