// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/loss_kernels.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, cpu_element T>
void execute(const On& on, const binary_cross_entropy_args<T>& b) {
  const auto [loss, correct] = sum_parts<2>(on, b.size, part_elements, [&](index_t begin, index_t end) {
    return on.template call<kernels::binary_cross_entropy_chunk<T>>(b, begin, end);
  });
  b.state->loss = loss / static_cast<double>(b.size);
  b.state->correct = static_cast<std::uint32_t>(correct);
}
template <cpu_element T>
type_list<kernels::binary_cross_entropy_chunk<T>> kernels_of(const binary_cross_entropy_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
