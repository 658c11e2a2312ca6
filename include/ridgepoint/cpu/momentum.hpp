// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/update.hpp>
#include <ridgepoint/ops/momentum.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const momentum_update_args<T>& u) {
  const auto rate = static_cast<T>(u.state->learning_rate);
  const kernels::momentum_step<T> step{.rate = rate, .momentum = static_cast<T>(u.options.momentum)};
  for_parts(on, u.size, [&](index_t begin, index_t end) {
    kernels::map<T, 3, 2>({u.w + begin, u.g + begin, u.a + begin}, {u.w + begin, u.a + begin}, end - begin, step);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
