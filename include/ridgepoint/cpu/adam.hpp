// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/adam.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const adam_update_args<T>& u) {
  const kernels::adam_step<T> step{
      .rate = static_cast<T>(adam_rate(u.options, ruled_rate(u.rule, *u.state), updates_done(*u.state))),
      .rest1 = static_cast<T>(1 - u.options.beta1),
      .rest2 = static_cast<T>(1 - u.options.beta2),
      .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts(on, u, step, u.m, u.v);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
