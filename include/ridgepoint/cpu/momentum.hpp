// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/momentum.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const momentum_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const typename kernels::momentum_update<T>::numbers step{.rate = rate,
                                                           .momentum = static_cast<T>(u.options.momentum)};
  update_parts<kernels::momentum_update<T>>(on, u, step, u.a);
}
template <std::floating_point T>
type_list<kernels::momentum_update<T>> kernels_of(const momentum_update_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
