// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/loss_kernels.hpp>
#include <ridgepoint/ops/mse.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, cpu_element T>
void execute(const On& on, const mse_args<T>& m) {
  const auto [loss] = sum_parts<1>(on, m.size, part_elements, [&](index_t begin, index_t end) {
    return on.template call<kernels::mse_chunk<T>>(m, begin, end);
  });
  m.state->loss = loss / static_cast<double>(m.size);
  m.state->correct = 0;
}
template <cpu_element T>
type_list<kernels::mse_chunk<T>> kernels_of(const mse_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
