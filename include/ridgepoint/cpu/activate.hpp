// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cacheable.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/ops/activate.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, cpu_element T>
void execute(const On& on, const activate_args<T>& a) {
  const kernels::stores how = detail::stores_of_map<T, 1>({a.x}, a.y, a.size);
  for_parts(on, a.size,
            [&](index_t begin, index_t end) { on.template call<kernels::activate_chunk<T>>(a, how, begin, end); });
}
template <cpu_element T>
type_list<kernels::activate_chunk<T>> kernels_of(const activate_args<T>&);

template <cpu_backend On, cpu_element T>
void execute(const On& on, const activate_backward_args<T>& a) {
  const T* y = a.f == activation::none ? a.dy : a.y;  // the identity does not look at y
  const kernels::stores how = detail::stores_of_map<T, 2>({y, a.dy}, a.dx, a.size);
  for_parts(on, a.size, [&](index_t begin, index_t end) {
    on.template call<kernels::activate_backward_chunk<T>>(a, how, begin, end);
  });
}
template <cpu_element T>
type_list<kernels::activate_backward_chunk<T>> kernels_of(const activate_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
