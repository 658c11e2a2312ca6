// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const sum_of_squares_args<T>& a) {
  const auto [sum] = sum_parts<1>(on, a.size, part_elements, [&](index_t begin, index_t end) {
    return std::array{on.template call<kernels::sum_of_squares_chunk<T>>(a, begin, end)};
  });
  a.state->gradient_squares = (a.accumulate ? a.state->gradient_squares : 0) + sum;
}
template <std::floating_point T>
type_list<kernels::sum_of_squares_chunk<T>> kernels_of(const sum_of_squares_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
