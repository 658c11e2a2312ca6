// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/update.hpp>
#include <ridgepoint/ops/sgd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const sgd_update_args<T>& u) {
  const auto rate = static_cast<T>(u.state->learning_rate);
  const kernels::sgd_step<T> step{.rate = rate};
  for_parts(on, u.size, [&](index_t begin, index_t end) {
    kernels::map<T, 2, 1>({u.w + begin, u.g + begin}, {u.w + begin}, end - begin, step);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
