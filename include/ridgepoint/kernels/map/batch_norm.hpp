// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/map/batch_norm_kernels.hpp>
#include <ridgepoint/kernels/map/columns.hpp>
#include <ridgepoint/kernels/map/moments.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {
/// of(channel) ← sum of the channel's columns.
template <class Sum>
void sum_channels(const Sum* columns, index_t width, index_t channels, Sum* of) noexcept {
  std::copy_n(columns, channels, of);
  for (index_t j = channels; j < width; ++j) of[j % channels].add(columns[j]);
}
}  // namespace detail

template <class T>
void batch_norm_sums<T>::run(const batch_norm_args<T>& a, const wide_rows& rows, index_t first,
                             const column_sums<T>& work, moments* columns, moments* channels) noexcept {
  column_moments(a.x + first, rows, work, columns);
  detail::sum_channels(columns, rows.width, a.channels, channels);
}
/// Adds to beta the part of the mean lost by rounding to T.
template <class T>
void batch_norm_parameters<T>::run(const batch_norm_args<T>& a, const wide_rows& g, moments* of_parts, index_t parts,
                                   T* parameters) noexcept {
  add_parts(of_parts, parts, a.channels);
  const double rows = static_cast<double>(a.rows), unbiased = rows / (std::max)(1.0, rows - 1);
  const auto move = [&](T& old, double to) {
    const auto before = static_cast<double>(old);
    old = static_cast<T>(before + (to - before) * (1 - a.options.momentum));
  };
  set_parameters<3>(parameters, g, a.channels, [&](index_t c) {
    const moments& of = of_parts[c];
    const double mean = of.mean(), variance = of.variance();
    const double inverse = 1 / std::sqrt(variance + a.options.epsilon);
    const double scale = static_cast<double>(a.gamma[c]) * inverse;
    a.mean[c] = static_cast<T>(mean);
    a.inverse[c] = static_cast<T>(inverse);
    const double lost = (of.centre - static_cast<double>(a.mean[c])) + of.beyond;
    if (a.moving_mean != nullptr) {
      move(a.moving_mean[c], mean);
      move(a.moving_variance[c], variance * unbiased);
    }
    return std::array{mean, scale, static_cast<double>(a.beta[c]) - (std::isfinite(lost) ? lost * scale : 0)};
  });
}
template <class T>
void batch_norm_rows<T>::run(const batch_norm_args<T>& a, const wide_rows& rows, index_t first,
                             const T* parameters) noexcept {
  using batch = simd::batch<T>;
  map_columns<3>(std::array{a.x + first}, parameters, a.y + first, rows,
                 [](const auto& p, const auto& x)
                     RIDGEPOINT_INLINE_LAMBDA -> batch { return simd::fma(x[0] - p[0], p[1], p[2]); });
}

template <class T>
void batch_norm_backward_sums<T>::run(const batch_norm_backward_args<T>& a, const wide_rows& rows, index_t first,
                                      const column_sums<T>& work, product_sums* columns,
                                      product_sums* channels) noexcept {
  for (index_t j = 0; j < rows.width; ++j) work.centre[j] = a.mean[j % a.channels];
  column_products(a.x + first, a.dy + first, rows, work, columns);
  detail::sum_channels(columns, rows.width, a.channels, channels);
}
template <class T>
void batch_norm_backward_parameters<T>::run(const batch_norm_backward_args<T>& a, const wide_rows& g,
                                            product_sums* of_parts, index_t parts, T* parameters) noexcept {
  add_parts(of_parts, parts, a.channels);
  const double share = 1 / static_cast<double>(a.rows);
  set_parameters<4>(parameters, g, a.channels, [&](index_t c) {
    const product_sums& of = of_parts[c];
    const auto inverse = static_cast<double>(a.inverse[c]);
    const double dgamma = of.product.value() * inverse;
    a.dgamma[c] = static_cast<T>(dgamma);
    a.dbeta[c] = static_cast<T>(of.sum.value());
    const double scale = a.dx != nullptr ? static_cast<double>(a.gamma[c]) * inverse : 0;
    return std::array{static_cast<double>(a.mean[c]), scale, of.sum.value() * share, dgamma * inverse * share};
  });
}
template <class T>
void batch_norm_backward_rows<T>::run(const batch_norm_backward_args<T>& a, const wide_rows& rows, index_t first,
                                      const T* parameters) noexcept {
  using batch = simd::batch<T>;
  map_columns<4>(std::array{a.x + first, a.dy + first}, parameters, a.dx + first, rows,
                 [](const auto& p, const auto& x)
                     RIDGEPOINT_INLINE_LAMBDA -> batch { return p[1] * simd::fma(p[0] - x[0], p[3], x[1] - p[2]); });
}

template <class T>
void batch_norm_inference_parameters<T>::run(const batch_norm_inference_args<T>& a, const wide_rows& g,
                                             T* parameters) noexcept {
  set_parameters<2>(parameters, g, a.channels, [&](index_t c) {
    const double inverse = 1 / std::sqrt(static_cast<double>(a.variance[c]) + a.options.epsilon);
    const double scale = static_cast<double>(a.gamma[c]) * inverse;
    return std::array{scale, static_cast<double>(a.beta[c]) - static_cast<double>(a.mean[c]) * scale};
  });
}
template <class T>
void batch_norm_inference_rows<T>::run(const batch_norm_inference_args<T>& a, const wide_rows& rows, index_t first,
                                       const T* parameters) noexcept {
  using batch = simd::batch<T>;
  map_columns<2>(std::array{a.x + first}, parameters, a.y + first, rows,
                 [](const auto& p, const auto& x)
                     RIDGEPOINT_INLINE_LAMBDA -> batch { return simd::fma(x[0], p[0], p[1]); });
}

template <class T>
void fold_batch_norm_parameters<T>::run(const fold_batch_norm_args<T>& a, const wide_rows& g, T* parameters) noexcept {
  set_parameters<1>(parameters, g, a.channels, [&](index_t c) {
    const double inverse = 1 / std::sqrt(static_cast<double>(a.variance[c]) + a.options.epsilon);
    const double scale = static_cast<double>(a.gamma[c]) * inverse;
    const double bias = a.bias == nullptr ? 0 : static_cast<double>(a.bias[c]);
    a.folded_bias[c] = static_cast<T>(static_cast<double>(a.beta[c]) + (bias - static_cast<double>(a.mean[c])) * scale);
    return std::array{scale};
  });
}
template <class T>
void fold_batch_norm_rows<T>::run(const fold_batch_norm_args<T>& a, const wide_rows& rows, index_t first,
                                  const T* parameters) noexcept {
  using batch = simd::batch<T>;
  map_columns<1>(std::array{a.w + first}, parameters, a.folded_w + first, rows,
                 [](const auto& p, const auto& w) RIDGEPOINT_INLINE_LAMBDA -> batch { return w[0] * p[0]; });
}

template <class T>
void add_bias_rows<T>::run(const add_bias_args<T>& a, const wide_rows& rows, index_t first,
                           const T* parameters) noexcept {
  using batch = simd::batch<T>;
  with_activation(a.act, T(0), [&](const auto& formula) RIDGEPOINT_INLINE_LAMBDA {
    map_columns<1>(std::array{a.x + first}, parameters, a.y + first, rows,
                   [&](const auto& p, const auto& x)
                       RIDGEPOINT_INLINE_LAMBDA -> batch { return formula(x[0] + p[0])[0]; });
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
