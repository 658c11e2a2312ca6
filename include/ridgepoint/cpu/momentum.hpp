// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/momentum.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const momentum_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const kernels::momentum_step<T> step{.rate = rate, .momentum = static_cast<T>(u.options.momentum)};
  update_parts(on, u, step, u.a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
