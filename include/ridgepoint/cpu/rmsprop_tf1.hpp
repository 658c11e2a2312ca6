// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const rmsprop_tf1_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const kernels::rmsprop_tf1_step<T> step{.rate = rate,
                                          .rest = static_cast<T>(1 - u.options.rho),
                                          .momentum = static_cast<T>(u.options.momentum),
                                          .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts(on, u, step, u.ms, u.mom);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
