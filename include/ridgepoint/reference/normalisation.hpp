// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>
#include <ridgepoint/ops/group_norm.hpp>
#include <ridgepoint/ops/layer_norm.hpp>
#include <ridgepoint/ops/rms_norm.hpp>
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

namespace detail {
/// Calls use(element, channel) for the elements of a group of an image, pixel by pixel.
template <class Use>
void for_group(index_t image, index_t group, index_t pixels, index_t channels, index_t groups, const Use& use) {
  const index_t each = channels / groups;
  for (index_t p = 0; p < pixels; ++p)
    for (index_t c = group * each; c < (group + 1) * each; ++c) use((image * pixels + p) * channels + c, c);
}
}  // namespace detail

/// For each group of each image: mean ← Σ x / count, inverse ← 1/√(Σ (x − mean)² / count + ε),
/// y ← (x − mean)·(inverse·gamma) + beta, in double.
template <scalar T>
void execute(const reference_backend&, const group_norm_args<T>& a) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const index_t groups = a.options.groups, each = a.channels / groups;
  const auto share = static_cast<wide>(1 / static_cast<double>(a.pixels * each));
  std::vector<wide> scale(static_cast<std::size_t>(a.channels));
  for (index_t at = 0; at < a.images * groups; ++at) {
    const auto all = [&](const auto& use) {
      detail::for_group(at / groups, at % groups, a.pixels, a.channels, groups, use);
    };
    wide sum(0), squares(0);
    all([&](index_t i, index_t) { sum = sum + wide(a.x[i]); });
    const wide mean = sum * share;
    all([&](index_t i, index_t) {
      const wide d = wide(a.x[i]) - mean;
      squares = squares + d * d;
    });
    const wide inverse = wide(1) / sqrt(squares * share + wide(a.options.epsilon));
    for (index_t c = at % groups * each; c < (at % groups + 1) * each; ++c)
      scale[static_cast<std::size_t>(c)] = inverse * wide(a.gamma[c]);
    all([&](index_t i, index_t c) {
      a.y[i] = T((wide(a.x[i]) - mean) * scale[static_cast<std::size_t>(c)] + wide(a.beta[c]));
    });
    if (a.mean == nullptr) continue;
    a.mean[at] = T(mean);
    a.inverse[at] = T(inverse);
  }
}

/// Over the images dbeta ← Σ dy, dgamma ← Σ dy·(x − mean)·inverse, and for each group of each image
/// dx ← gamma·inverse·dy − inverse·Σ gamma·dy / count − (x − mean)·inverse³·Σ gamma·dy·(x − mean) / count, in double.
template <scalar T>
void execute(const reference_backend&, const group_norm_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  const index_t each = a.channels / a.groups;
  const auto share = static_cast<wide>(1 / static_cast<double>(a.pixels * each));
  std::vector<wide> dgamma(static_cast<std::size_t>(a.channels), wide(0)), dbeta = dgamma, scale = dgamma;
  for (index_t at = 0; at < a.images * a.groups; ++at) {
    const auto all = [&](const auto& use) {
      detail::for_group(at / a.groups, at % a.groups, a.pixels, a.channels, a.groups, use);
    };
    const wide mean(a.mean[at]), inverse(a.inverse[at]);
    std::vector<wide> dys(static_cast<std::size_t>(a.channels), wide(0)), products = dys;
    all([&](index_t i, index_t c) {
      const auto j = static_cast<std::size_t>(c);
      dys[j] = dys[j] + wide(a.dy[i]);
      products[j] = products[j] + wide(a.dy[i]) * (wide(a.x[i]) - mean);
    });
    wide sum(0), product(0);
    for (index_t c = at % a.groups * each; c < (at % a.groups + 1) * each; ++c) {
      const auto j = static_cast<std::size_t>(c);
      dbeta[j] = dbeta[j] + dys[j];
      dgamma[j] = dgamma[j] + products[j] * inverse;
      if (a.dx == nullptr) continue;
      const wide gamma(a.gamma[c]);
      sum = sum + gamma * dys[j];
      product = product + gamma * products[j];
      scale[j] = gamma * inverse;
    }
    if (a.dx == nullptr) continue;
    const wide over = inverse * share, offset = over * sum, slope = over * inverse * inverse * product;
    all([&](index_t i, index_t c) {
      a.dx[i] = T(wide(a.dy[i]) * scale[static_cast<std::size_t>(c)] - offset - (wide(a.x[i]) - mean) * slope);
    });
  }
  for (index_t c = 0; c < a.channels; ++c) {
    a.dgamma[c] = T(dgamma[static_cast<std::size_t>(c)]);
    a.dbeta[c] = T(dbeta[static_cast<std::size_t>(c)]);
  }
}

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

/// Row by row: inverse ← 1/√(Σ x² / channels + ε), y ← x·inverse·gamma, in double.
template <scalar T>
void execute(const reference_backend&, const rms_norm_args<T>& a) {
  using std::sqrt;
  using wide = accumulator_t<T>;
  const auto share = static_cast<wide>(1 / static_cast<double>(a.channels));
  for (index_t i = 0; i < a.rows; ++i) {
    const T* const x = a.x + i * a.channels;
    wide squares(0);
    for (index_t c = 0; c < a.channels; ++c) squares = squares + wide(x[c]) * wide(x[c]);
    const wide inverse = wide(1) / sqrt(squares * share + wide(a.options.epsilon));
    for (index_t c = 0; c < a.channels; ++c) a.y[i * a.channels + c] = T(wide(x[c]) * inverse * wide(a.gamma[c]));
    if (a.inverse != nullptr) a.inverse[i] = T(inverse);
  }
}

/// dgamma ← Σ dy·x·inverse over the rows, and row by row, with g = dy·gamma,
/// dx ← inverse·(g − x·inverse²·Σ g·x / channels), in double.
template <scalar T>
void execute(const reference_backend&, const rms_norm_backward_args<T>& a) {
  using wide = accumulator_t<T>;
  const auto share = static_cast<wide>(1 / static_cast<double>(a.channels));
  std::vector<wide> dgamma(static_cast<std::size_t>(a.channels), wide(0));
  for (index_t i = 0; i < a.rows; ++i) {
    const T *const x = a.x + i * a.channels, *const dy = a.dy + i * a.channels;
    const wide inverse(a.inverse[i]);
    wide products(0);
    for (index_t c = 0; c < a.channels; ++c) {
      const auto at = static_cast<std::size_t>(c);
      dgamma[at] = dgamma[at] + wide(dy[c]) * (wide(x[c]) * inverse);
      if (a.dx != nullptr) products = products + wide(dy[c]) * wide(a.gamma[c]) * wide(x[c]);
    }
    if (a.dx == nullptr) continue;
    const wide slope = inverse * inverse * products * share;
    for (index_t c = 0; c < a.channels; ++c)
      a.dx[i * a.channels + c] = T(inverse * (wide(dy[c]) * wide(a.gamma[c]) - wide(x[c]) * slope));
  }
  for (index_t c = 0; c < a.channels; ++c) a.dgamma[c] = T(dgamma[static_cast<std::size_t>(c)]);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
