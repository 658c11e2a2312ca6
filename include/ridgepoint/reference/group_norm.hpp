// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include <ridgepoint/ops/group_norm.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// use(element, channel) for the elements of a group of an image, pixel by pixel.
template <class Use>
void for_group(index_t image, index_t group, index_t pixels, index_t channels, index_t groups, const Use& use) {
  const index_t each = channels / groups;
  for (index_t p = 0; p < pixels; ++p)
    for (index_t c = group * each; c < (group + 1) * each; ++c) use((image * pixels + p) * channels + c, c);
}
}  // namespace detail

/// Of each group of each image: mean ← Σ x / count, inverse ← 1/√(Σ (x − mean)² / count + ε),
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

/// Over the images dbeta ← Σ dy, dgamma ← Σ dy·(x − mean)·inverse, and of each group of each image
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
