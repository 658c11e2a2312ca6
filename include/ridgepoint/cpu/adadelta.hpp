// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/adadelta.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const adadelta_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const kernels::adadelta_step<T> step{.rate = rate,
                                       .rho = static_cast<T>(u.options.rho),
                                       .rest = static_cast<T>(1 - u.options.rho),
                                       .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts(on, u, step, u.a, u.d);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
