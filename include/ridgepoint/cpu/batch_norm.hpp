// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/cpu/column_parameters.hpp>
#include <ridgepoint/cpu/column_parts.hpp>
#include <ridgepoint/ops/batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// out ← formula(parameters of the channel, in…) in parallel; out may be an input.
template <class T, std::size_t Ins, std::size_t N, class Formula>
void map_channels(const native_cpu& on, const kernels::wide_rows& g, const std::array<const T*, Ins>& in, T* out,
                  const column_parameters<T, N>& parameters, const Formula& formula) {
  column_parts(g, part_elements).for_each(on, [&](const kernels::wide_rows& rows, index_t first, index_t) {
    std::array<const T*, Ins> from = in;
    for (const T*& p : from) p += first;
    kernels::map_columns<T>(from, parameters.all, out + first, rows, formula);
  });
}

}  // namespace detail

/// Moments in one pass over x (kernels/map/moments.hpp), y in a second. What mean loses when it is rounded to T is
/// added to beta.
template <std::floating_point T>
void execute(const native_cpu& on, const batch_norm_args<T>& a) {
  using batch = simd::batch<T>;
  const kernels::wide_rows g = kernels::wide_rows::of<T>(a.rows, a.channels);
  const auto* const moments = detail::sums_of_channels<T, kernels::moments>(
      on, g, a.channels, [&](const auto& rows, index_t first, const auto& work, kernels::moments* of) {
        kernels::column_moments(a.x + first, rows, work, of);
      });
  const double rows = static_cast<double>(a.rows), unbiased = rows / std::max(1.0, rows - 1);
  const auto move = [&](T& old, double to) {
    const auto before = static_cast<double>(old);
    old = static_cast<T>(before + (to - before) * (1 - a.options.momentum));
  };
  const detail::column_parameters<T, 3> parameters(g, a.channels, [&](index_t c) {
    const double mean = moments[c].mean(), variance = moments[c].variance();
    const double inverse = 1 / std::sqrt(variance + a.options.epsilon);
    const double scale = static_cast<double>(a.gamma[c]) * inverse;
    a.mean[c] = static_cast<T>(mean);
    a.inverse[c] = static_cast<T>(inverse);
    const double lost = (moments[c].centre - static_cast<double>(a.mean[c])) + moments[c].beyond;
    if (a.moving_mean != nullptr) {
      move(a.moving_mean[c], mean);
      move(a.moving_variance[c], variance * unbiased);
    }
    return std::array{mean, scale, static_cast<double>(a.beta[c]) - (std::isfinite(lost) ? lost * scale : 0)};
  });
  detail::map_channels<T>(on, g, std::array{a.x}, a.y, parameters,
                          [](const auto& p, const auto& x)
                              RIDGEPOINT_INLINE_LAMBDA -> batch { return simd::fma(x[0] - p[0], p[1], p[2]); });
}

template <std::floating_point T>
void execute(const native_cpu& on, const batch_norm_backward_args<T>& a) {
  using batch = simd::batch<T>;
  const kernels::wide_rows g = kernels::wide_rows::of<T>(a.rows, a.channels);
  const auto* const sums = detail::sums_of_channels<T, kernels::product_sums>(
      on, g, a.channels, [&](const auto& rows, index_t first, const auto& work, kernels::product_sums* of) {
        for (index_t j = 0; j < g.width; ++j) work.centre[j] = a.mean[j % a.channels];
        kernels::column_products(a.x + first, a.dy + first, rows, work, of);
      });
  const double share = 1 / static_cast<double>(a.rows);
  const detail::column_parameters<T, 4> parameters(g, a.channels, [&](index_t c) {
    const auto inverse = static_cast<double>(a.inverse[c]);
    const double dgamma = sums[c].product.value() * inverse;
    a.dgamma[c] = static_cast<T>(dgamma);
    a.dbeta[c] = static_cast<T>(sums[c].sum.value());
    const double scale = a.dx != nullptr ? static_cast<double>(a.gamma[c]) * inverse : 0;
    return std::array{static_cast<double>(a.mean[c]), scale, sums[c].sum.value() * share, dgamma * inverse * share};
  });
  if (a.dx == nullptr) return;
  detail::map_channels<T>(on, g, std::array{a.x, a.dy}, a.dx, parameters,
                          [](const auto& p, const auto& x) RIDGEPOINT_INLINE_LAMBDA -> batch {
                            return p[1] * simd::fma(p[0] - x[0], p[3], x[1] - p[2]);
                          });
}

template <std::floating_point T>
void execute(const native_cpu& on, const batch_norm_inference_args<T>& a) {
  using batch = simd::batch<T>;
  const kernels::wide_rows g = kernels::wide_rows::of<T>(a.rows, a.channels);
  const detail::column_parameters<T, 2> parameters(g, a.channels, [&](index_t c) {
    const double inverse = 1 / std::sqrt(static_cast<double>(a.variance[c]) + a.options.epsilon);
    const double scale = static_cast<double>(a.gamma[c]) * inverse;
    return std::array{scale, static_cast<double>(a.beta[c]) - static_cast<double>(a.mean[c]) * scale};
  });
  detail::map_channels<T>(on, g, std::array{a.x}, a.y, parameters,
                          [](const auto& p, const auto& x)
                              RIDGEPOINT_INLINE_LAMBDA -> batch { return simd::fma(x[0], p[0], p[1]); });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
