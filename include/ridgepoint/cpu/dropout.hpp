// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/dropout_kernels.hpp>
#include <ridgepoint/ops/dropout.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

static_assert(part_elements % dropout_mask::block == 0);

template <cpu_backend On, cpu_element T>
void execute(const On& on, const dropout_args<T>& d) {
  for_parts(on, d.size / d.steps,
            [&](index_t begin, index_t end) { on.template call<kernels::dropout_chunk<T>>(d, begin, end); });
}
template <cpu_element T>
type_list<kernels::dropout_chunk<T>> kernels_of(const dropout_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
