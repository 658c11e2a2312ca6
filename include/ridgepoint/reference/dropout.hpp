// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i) ← kept(masked_by(i)) ? x(i)·scale : 0, in the precision that T computes in: the same bits on every backend.
template <scalar T>
void execute(const reference_backend&, const dropout_args<T>& d) {
  const dropout_mask mask(d.rate, d.seed, d.state->step, d.stream);
  using number = compute_t<T>;
  const auto scale = static_cast<number>(mask.scale());
  for (index_t i = 0; i < d.size; ++i) {
    const T kept(number(d.x[i]) * scale);
    d.y[i] = mask.keeps(d.masked_by(i)) ? kept : T(0);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
