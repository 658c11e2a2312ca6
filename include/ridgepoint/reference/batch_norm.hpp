// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// mean ← Σ x / rows, variance ← Σ (x − mean)² / rows, y ← (x − mean)·(gamma / √(variance + ε)) + beta, in double.
template <scalar T>
void execute(const reference_backend&, const batch_norm_args<T>& a) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const double rows = static_cast<double>(a.rows), unbiased = rows / (std::max)(1.0, rows - 1);
  const auto move = [&](T& old, const wide& to) {
    const wide before(old);
    old = T(before + (to - before) * wide(1 - a.options.momentum));
  };
  for (index_t c = 0; c < a.channels; ++c) {
    wide sum(0), squares(0);
    for (index_t i = 0; i < a.rows; ++i) sum = sum + wide(a.x[i * a.channels + c]);
    const wide mean = sum * wide(1 / rows);
    for (index_t i = 0; i < a.rows; ++i) {
      const wide d = wide(a.x[i * a.channels + c]) - mean;
      squares = squares + d * d;
    }
    const wide variance = squares * wide(1 / rows), inverse = wide(1) / sqrt(variance + wide(a.options.epsilon));
    const wide scale = wide(a.gamma[c]) * inverse, beta(a.beta[c]);
    for (index_t i = 0; i < a.rows; ++i)
      a.y[i * a.channels + c] = T((wide(a.x[i * a.channels + c]) - mean) * scale + beta);
    a.mean[c] = T(mean);
    a.inverse[c] = T(inverse);
    if (a.moving_mean == nullptr) continue;
    move(a.moving_mean[c], mean);
    move(a.moving_variance[c], variance * wide(unbiased));
  }
}

/// dbeta ← Σ dy, dgamma ← Σ dy·(x − mean)·inverse,
/// dx ← gamma·inverse·(dy − dbeta / rows − (x − mean)·inverse·dgamma / rows), in double.
template <scalar T>
void execute(const reference_backend&, const batch_norm_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  const auto share = static_cast<wide>(1 / static_cast<double>(a.rows));
  for (index_t c = 0; c < a.channels; ++c) {
    const wide mean(a.mean[c]), inverse(a.inverse[c]);
    wide dbeta(0), products(0);
    for (index_t i = 0; i < a.rows; ++i) {
      const wide dy(a.dy[i * a.channels + c]);
      dbeta = dbeta + dy;
      products = products + dy * (wide(a.x[i * a.channels + c]) - mean);
    }
    const wide dgamma = products * inverse;
    a.dgamma[c] = T(dgamma);
    a.dbeta[c] = T(dbeta);
    if (a.dx == nullptr) continue;
    const wide scale = wide(a.gamma[c]) * inverse, offset = dbeta * share, slope = dgamma * inverse * share;
    for (index_t i = 0; i < a.rows; ++i) {
      const index_t at = i * a.channels + c;
      a.dx[at] = T(scale * (wide(a.dy[at]) - offset - (wide(a.x[at]) - mean) * slope));
    }
  }
}

/// y ← x·scale + shift with scale = gamma / √(variance + ε), shift = beta − mean·scale, in double.
template <scalar T>
void execute(const reference_backend&, const batch_norm_inference_args<T>& a) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  for (index_t c = 0; c < a.channels; ++c) {
    const wide scale = wide(a.gamma[c]) * (wide(1) / sqrt(wide(a.variance[c]) + wide(a.options.epsilon)));
    const wide shift = wide(a.beta[c]) - wide(a.mean[c]) * scale;
    for (index_t i = 0; i < a.rows; ++i) a.y[i * a.channels + c] = T(wide(a.x[i * a.channels + c]) * scale + shift);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
