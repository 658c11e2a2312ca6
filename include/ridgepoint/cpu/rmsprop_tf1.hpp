// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/update.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const rmsprop_tf1_update_args<T>& u) {
  const auto rate = static_cast<T>(u.state->learning_rate);
  const kernels::rmsprop_tf1_step<T> step{.rate = rate,
                                          .rest = static_cast<T>(1 - u.options.rho),
                                          .momentum = static_cast<T>(u.options.momentum),
                                          .epsilon = static_cast<T>(u.options.epsilon)};
  for_parts(on, u.size, [&](index_t begin, index_t end) {
    kernels::map<T, 4, 3>({u.w + begin, u.g + begin, u.ms + begin, u.mom + begin},
                          {u.w + begin, u.ms + begin, u.mom + begin}, end - begin, step);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
