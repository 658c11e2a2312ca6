// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const rmsprop_keras_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const kernels::rmsprop_keras_step<T> step{.rate = rate,
                                            .rho = static_cast<T>(u.options.rho),
                                            .rest = static_cast<T>(1 - u.options.rho),
                                            .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts(on, u, step, u.a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
