// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cacheable.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/kernels/map/image_rows_kernels.hpp>
#include <ridgepoint/ops/positions.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Threads take steps: the sinusoids of one are made once for all samples.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const positions_args<T>& a) {
  const bool worth_a_team = a.n * a.steps * a.width > part_elements;
  parallel_for(worth_a_team ? on.thread_count() : 1, a.n > 0 ? a.steps : 0, [&](index_t step) {
    struct tag;
    on.template call<kernels::positions_step<T>>(a, step, thread_scratch_of<tag, T>(a.width));
  });
}
template <std::floating_point T>
type_list<kernels::positions_step<T>> kernels_of(const positions_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const positions_backward_args<T>& a) {
  const kernels::stores how = detail::stores_of_map<T, 1>({a.dy}, a.dx, a.size);
  for_parts(on, a.size, [&](index_t begin, index_t end) {
    on.template call<kernels::positions_backward_chunk<T>>(a, how, begin, end);
  });
}
template <std::floating_point T>
type_list<kernels::positions_backward_chunk<T>> kernels_of(const positions_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
