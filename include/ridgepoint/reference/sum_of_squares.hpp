// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/sum_of_squares.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// gradient_squares ← Σ_i x(i)², summed in double; added to what is there if `accumulate`.
template <scalar T>
void execute(const reference_backend&, const sum_of_squares_args<T>& a) {
  using wide = accumulator_t<T>;
  wide sum(0);
  for (index_t i = 0; i < a.size; ++i) {
    const wide x(a.x[i]);
    sum = sum + x * x;
  }
  a.state->gradient_squares = (a.accumulate ? a.state->gradient_squares : 0) + static_cast<double>(sum);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
