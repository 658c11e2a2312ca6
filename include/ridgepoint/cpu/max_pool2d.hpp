// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/pool_rows.hpp>
#include <ridgepoint/kernels/pool/pool_kernels.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const max_pool2d_args<T>& a) {
  detail::for_output_rows(on, a.geometry, [&](index_t begin, index_t end) {
    on.template call<kernels::max_pool2d_rows<T>>(a, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::max_pool2d_rows<T>> kernels_of(const max_pool2d_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const max_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  const index_t lanes = on.vectors().template lanes<T>();
  if (!detail::tile_the_image(g, lanes))
    return detail::for_input_rows(on, g, [&](index_t begin, index_t end) {
      on.template call<kernels::max_pool2d_backward_rows<T>>(a, begin, end);
    });
  const kernels::stores how = detail::stores_of_window_tiles<T>(g, lanes);
  detail::for_output_rows(on, g, [&](index_t begin, index_t end) {
    on.template call<kernels::max_pool2d_backward_tiles<T>>(a, how, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::max_pool2d_backward_rows<T>, kernels::max_pool2d_backward_tiles<T>> kernels_of(
    const max_pool2d_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
