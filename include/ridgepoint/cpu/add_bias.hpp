// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/column_parts.hpp>
#include <ridgepoint/kernels/map/batch_norm_kernels.hpp>
#include <ridgepoint/ops/add_bias.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const add_bias_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.rows, a.channels, on.vectors().template lanes<T>());
  T* const bias = detail::memory_of_parameters<T>(g, 1);
  for (index_t j = 0; j < g.width; j += a.channels) std::copy_n(a.bias, a.channels, bias + j);
  detail::map_channels<kernels::add_bias_rows<T>>(on, g, a, bias);
}
template <std::floating_point T>
type_list<kernels::add_bias_rows<T>> kernels_of(const add_bias_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
