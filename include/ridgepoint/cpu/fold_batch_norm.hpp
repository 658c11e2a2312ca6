// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/column_parts.hpp>
#include <ridgepoint/kernels/map/batch_norm_kernels.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const fold_batch_norm_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.lines, a.channels, on.vectors().template lanes<T>());
  using parameters = kernels::fold_batch_norm_parameters<T>;
  T* const memory = detail::memory_of_parameters<T>(g, parameters::per_column);
  on.template call<parameters>(a, g, memory);
  detail::map_channels<kernels::fold_batch_norm_rows<T>>(on, g, a, memory);
}
template <std::floating_point T>
type_list<kernels::fold_batch_norm_parameters<T>, kernels::fold_batch_norm_rows<T>> kernels_of(
    const fold_batch_norm_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
