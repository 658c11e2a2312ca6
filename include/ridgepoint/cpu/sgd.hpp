// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/sgd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const sgd_update_args<T>& u) {
  const auto rate = static_cast<T>(ruled_rate(u.rule, *u.state));
  const typename kernels::sgd_update<T>::numbers step{.rate = rate};
  update_parts<kernels::sgd_update<T>>(on, u, step);
}
template <std::floating_point T>
type_list<kernels::sgd_update<T>> kernels_of(const sgd_update_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
