// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include <ridgepoint/ops/layer_norm.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Row by row: mean ← Σ x / channels, inverse ← 1/√(Σ (x − mean)² / channels + ε), y ← (x − mean)·inverse·gamma + beta,
/// in double.
template <scalar T>
void execute(const reference_backend&, const layer_norm_args<T>& a) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto share = static_cast<wide>(1 / static_cast<double>(a.channels));
  for (index_t i = 0; i < a.rows; ++i) {
    const T* const x = a.x + i * a.channels;
    wide sum(0), squares(0);
    for (index_t c = 0; c < a.channels; ++c) sum = sum + wide(x[c]);
    const wide mean = sum * share;
    for (index_t c = 0; c < a.channels; ++c) {
      const wide d = wide(x[c]) - mean;
      squares = squares + d * d;
    }
    const wide inverse = wide(1) / sqrt(squares * share + wide(a.options.epsilon));
    for (index_t c = 0; c < a.channels; ++c)
      a.y[i * a.channels + c] = T((wide(x[c]) - mean) * inverse * wide(a.gamma[c]) + wide(a.beta[c]));
    if (a.mean == nullptr) continue;
    a.mean[i] = T(mean);
    a.inverse[i] = T(inverse);
  }
}

/// dbeta ← Σ dy, dgamma ← Σ dy·(x − mean)·inverse over the rows, and row by row, with g = dy·gamma,
/// dx ← inverse·(g − Σ g / channels − (x − mean)·inverse²·Σ g·(x − mean) / channels), in double.
template <scalar T>
void execute(const reference_backend&, const layer_norm_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  const auto share = static_cast<wide>(1 / static_cast<double>(a.channels));
  std::vector<wide> dgamma(static_cast<std::size_t>(a.channels), wide(0)), dbeta = dgamma;
  for (index_t i = 0; i < a.rows; ++i) {
    const T *const x = a.x + i * a.channels, *const dy = a.dy + i * a.channels;
    const wide mean(a.mean[i]), inverse(a.inverse[i]);
    wide sum(0), products(0);
    for (index_t c = 0; c < a.channels; ++c) {
      const auto at = static_cast<std::size_t>(c);
      const wide d = wide(x[c]) - mean;
      dbeta[at] = dbeta[at] + wide(dy[c]);
      dgamma[at] = dgamma[at] + wide(dy[c]) * (d * inverse);
      if (a.dx == nullptr) continue;
      const wide g = wide(dy[c]) * wide(a.gamma[c]);
      sum = sum + g;
      products = products + g * d;
    }
    if (a.dx == nullptr) continue;
    const wide offset = sum * share, slope = inverse * inverse * products * share;
    for (index_t c = 0; c < a.channels; ++c)
      a.dx[i * a.channels + c] = T(inverse * (wide(dy[c]) * wide(a.gamma[c]) - offset - (wide(x[c]) - mean) * slope));
  }
  for (index_t c = 0; c < a.channels; ++c) {
    a.dgamma[c] = T(dgamma[static_cast<std::size_t>(c)]);
    a.dbeta[c] = T(dbeta[static_cast<std::size_t>(c)]);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
