// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/column_parts.hpp>
#include <ridgepoint/kernels/map/batch_norm_kernels.hpp>
#include <ridgepoint/ops/batch_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Moments in one pass over x (kernels/map/moments.hpp), y in a second.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const batch_norm_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.rows, a.channels, on.vectors().template lanes<T>());
  const auto of = detail::sums_of_channels<T, kernels::moments>(
      on, g, a.channels, [&](const auto& rows, index_t first, const auto& work, auto* columns, auto* channels) {
        on.template call<kernels::batch_norm_sums<T>>(a, rows, first, work, columns, channels);
      });
  using parameters = kernels::batch_norm_parameters<T>;
  T* const memory = detail::memory_of_parameters<T>(g, parameters::per_column);
  on.template call<parameters>(a, g, of.sums, of.parts, memory);
  detail::map_channels<kernels::batch_norm_rows<T>>(on, g, a, memory);
}
template <std::floating_point T>
type_list<kernels::batch_norm_sums<T>, kernels::batch_norm_parameters<T>, kernels::batch_norm_rows<T>> kernels_of(
    const batch_norm_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const batch_norm_backward_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.rows, a.channels, on.vectors().template lanes<T>());
  const auto of = detail::sums_of_channels<T, kernels::product_sums>(
      on, g, a.channels, [&](const auto& rows, index_t first, const auto& work, auto* columns, auto* channels) {
        on.template call<kernels::batch_norm_backward_sums<T>>(a, rows, first, work, columns, channels);
      });
  using parameters = kernels::batch_norm_backward_parameters<T>;
  T* const memory = detail::memory_of_parameters<T>(g, parameters::per_column);
  on.template call<parameters>(a, g, of.sums, of.parts, memory);
  if (a.dx != nullptr) detail::map_channels<kernels::batch_norm_backward_rows<T>>(on, g, a, memory);
}
template <std::floating_point T>
type_list<kernels::batch_norm_backward_sums<T>, kernels::batch_norm_backward_parameters<T>,
          kernels::batch_norm_backward_rows<T>>
kernels_of(const batch_norm_backward_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const batch_norm_inference_args<T>& a) {
  const auto g = kernels::wide_rows::of(a.rows, a.channels, on.vectors().template lanes<T>());
  using parameters = kernels::batch_norm_inference_parameters<T>;
  T* const memory = detail::memory_of_parameters<T>(g, parameters::per_column);
  on.template call<parameters>(a, g, memory);
  detail::map_channels<kernels::batch_norm_inference_rows<T>>(on, g, a, memory);
}
template <std::floating_point T>
type_list<kernels::batch_norm_inference_parameters<T>, kernels::batch_norm_inference_rows<T>> kernels_of(
    const batch_norm_inference_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
