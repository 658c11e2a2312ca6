// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/ops/step_state.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On>
void execute(const On& on, const advance_args& a) {
  on.template call<kernels::advance_step>(a);
}
type_list<kernels::advance_step> kernels_of(const advance_args&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
