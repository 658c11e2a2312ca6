// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/reference/activation.hpp>
#include <ridgepoint/reference/multiply_add.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// c(i, j) ← f(α·Σ_p a(i, p)·b(p, j) + β·c(i, j) + bias(j)), summed in double.
template <scalar T>
void execute(const reference_backend&, const gemm_args<T>& g) {
  using wide = accumulator_t<T>;
  using number = compute_t<T>;
  const auto& [alpha, beta, bias, act, no_activation] = g.options;
  for (index_t i = 0; i < g.c.rows; ++i)
    for (index_t j = 0; j < g.c.cols; ++j) {
      wide sum(0);
      for (index_t p = 0; p < g.a.cols; ++p) sum = multiply_add(sum, wide(g.a(i, p)), wide(g.b(p, j)));
      if (!exactly(alpha, number(1))) sum = wide(alpha) * sum;
      if (exactly(beta, number(1))) sum = sum + wide(g.c(i, j));
      else if (!exactly(beta, number(0))) sum = sum + wide(beta) * wide(g.c(i, j));
      if (bias != nullptr) sum = sum + wide(bias[j]);
      g.c(i, j) = T(apply(act, sum));
    }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
