// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/reference/activation.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, j) ← act(x(i, j) + bias(j)).
template <scalar T>
void execute(const reference_backend&, const add_bias_args<T>& a) {
  using wide = accumulator_t<T>;
  for (index_t i = 0; i < a.rows * a.channels; ++i)
    a.y[i] = T(apply(a.act, wide(a.x[i]) + wide(a.bias[i % a.channels])));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
