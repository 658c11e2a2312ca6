// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/kernels/map/update.hpp>
#include <ridgepoint/ops/adadelta.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const adadelta_update_args<T>& u) {
  const auto rate = static_cast<T>(u.state->learning_rate);
  const kernels::adadelta_step<T> step{.rate = rate,
                                       .rho = static_cast<T>(u.options.rho),
                                       .rest = static_cast<T>(1 - u.options.rho),
                                       .epsilon = static_cast<T>(u.options.epsilon)};
  for_parts(on, u.size, [&](index_t begin, index_t end) {
    kernels::map<T, 4, 3>({u.w + begin, u.g + begin, u.a + begin, u.d + begin}, {u.w + begin, u.a + begin, u.d + begin},
                          end - begin, step);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
