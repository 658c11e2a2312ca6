// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/update.hpp>
#include <ridgepoint/ops/adam.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const adam_update_args<T>& u) {
  const kernels::adam_step<T> step{.rate = static_cast<T>(adam_rate(u.options, *u.state)),
                                   .rest1 = static_cast<T>(1 - u.options.beta1),
                                   .rest2 = static_cast<T>(1 - u.options.beta2),
                                   .epsilon = static_cast<T>(u.options.epsilon)};
  for_parts(on, u.size, [&](index_t begin, index_t end) {
    kernels::map<T, 4, 3>({u.w + begin, u.g + begin, u.m + begin, u.v + begin}, {u.w + begin, u.m + begin, u.v + begin},
                          end - begin, step);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
