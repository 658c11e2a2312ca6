// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const rmsprop_tf1_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const typename kernels::rmsprop_tf1_update<T>::numbers step{.rate = rate,
                                                              .rest = static_cast<T>(1 - u.options.rho),
                                                              .momentum = static_cast<T>(u.options.momentum),
                                                              .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts<kernels::rmsprop_tf1_update<T>>(on, u, step, u.ms, u.mom);
}
template <std::floating_point T>
type_list<kernels::rmsprop_tf1_update<T>> kernels_of(const rmsprop_tf1_update_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
