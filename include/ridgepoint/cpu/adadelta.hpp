// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/adadelta.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const adadelta_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const typename kernels::adadelta_update<T>::numbers step{.rate = rate,
                                                           .rho = static_cast<T>(u.options.rho),
                                                           .rest = static_cast<T>(1 - u.options.rho),
                                                           .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts<kernels::adadelta_update<T>>(on, u, step, u.a, u.d);
}
template <std::floating_point T>
type_list<kernels::adadelta_update<T>> kernels_of(const adadelta_update_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
