// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/ops/fold_batch_norm.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// folded_w ← w·scale, folded_bias ← beta + (bias − mean)·scale with scale = gamma / √(variance + ε), in double.
template <scalar T>
void execute(const reference_backend&, const fold_batch_norm_args<T>& a) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  for (index_t c = 0; c < a.channels; ++c) {
    const wide scale = wide(a.gamma[c]) * (wide(1) / sqrt(wide(a.variance[c]) + wide(a.options.epsilon)));
    if (a.bias == nullptr) a.folded_bias[c] = T(wide(a.beta[c]) - wide(a.mean[c]) * scale);
    else a.folded_bias[c] = T(wide(a.beta[c]) + (wide(a.bias[c]) - wide(a.mean[c])) * scale);
    for (index_t i = 0; i < a.lines; ++i) a.folded_w[i * a.channels + c] = T(wide(a.w[i * a.channels + c]) * scale);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
