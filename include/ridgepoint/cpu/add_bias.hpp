// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/batch_norm.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/ops/add_bias.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const add_bias_args<T>& a) {
  using batch = simd::batch<T>;
  const kernels::wide_rows g = kernels::wide_rows::of<T>(a.rows, a.channels);
  const detail::column_parameters<T, 1> bias(g, a.channels,
                                             [&](index_t c) { return std::array{static_cast<double>(a.bias[c])}; });
  kernels::with_activation(a.act, T(0), [&](const auto& formula) {
    detail::map_channels<T>(on, g, std::array{a.x}, a.y, bias,
                            [&](const auto& p, const auto& x)
                                RIDGEPOINT_INLINE_LAMBDA -> batch { return formula(x[0] + p[0])[0]; });
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
