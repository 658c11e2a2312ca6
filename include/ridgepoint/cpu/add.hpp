// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cacheable.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/ops/add.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, cpu_element T>
void execute(const On& on, const add_args<T>& s) {
  const kernels::stores how = detail::stores_of_map<T, 2>({s.a, s.b}, s.y, s.size);
  for_parts(on, s.size,
            [&](index_t begin, index_t end) { on.template call<kernels::add_chunk<T>>(s, how, begin, end); });
}
template <cpu_element T>
type_list<kernels::add_chunk<T>> kernels_of(const add_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
