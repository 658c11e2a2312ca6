// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/update_parts.hpp>
#include <ridgepoint/ops/adam.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const adam_update_args<T>& u) {
  const typename kernels::adam_update<T>::numbers step{
      .rate = static_cast<T>(adam_rate(u.options, ruled_rate(u.rule, *u.state), updates_done(*u.state))),
      .rest1 = static_cast<T>(1 - u.options.beta1),
      .rest2 = static_cast<T>(1 - u.options.beta2),
      .epsilon = static_cast<T>(u.options.epsilon)};
  update_parts<kernels::adam_update<T>>(on, u, step, u.m, u.v);
}
template <std::floating_point T>
type_list<kernels::adam_update<T>> kernels_of(const adam_update_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
