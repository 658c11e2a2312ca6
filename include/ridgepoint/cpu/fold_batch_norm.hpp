// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/batch_norm.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const fold_batch_norm_args<T>& a) {
  using batch = simd::batch<T>;
  const kernels::wide_rows g = kernels::wide_rows::of<T>(a.lines, a.channels);
  const detail::column_parameters<T, 1> parameters(g, a.channels, [&](index_t c) {
    const double inverse = 1 / std::sqrt(static_cast<double>(a.variance[c]) + a.options.epsilon);
    const double scale = static_cast<double>(a.gamma[c]) * inverse;
    const double bias = a.bias == nullptr ? 0 : static_cast<double>(a.bias[c]);
    a.folded_bias[c] = static_cast<T>(static_cast<double>(a.beta[c]) + (bias - static_cast<double>(a.mean[c])) * scale);
    return std::array{scale};
  });
  detail::map_channels<T>(on, g, std::array{a.w}, a.folded_w, parameters,
                          [](const auto& p, const auto& w) RIDGEPOINT_INLINE_LAMBDA -> batch { return w[0] * p[0]; });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
