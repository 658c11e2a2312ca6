// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← a(i) + b(i).
template <scalar T>
void execute(const reference_backend&, const add_args<T>& s) {
  using number = compute_t<T>;
  for (index_t i = 0; i < s.size; ++i) s.y[i] = T(number(s.a[i]) + number(s.b[i]));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
