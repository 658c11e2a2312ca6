// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/column_parts.hpp>
#include <ridgepoint/kernels/map/row_norm_kernels.hpp>
#include <ridgepoint/ops/layer_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Parts are whole rows, each of which is in cache from its statistics to its result.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const layer_norm_args<T>& a) {
  const index_t together = on.vectors().template lanes<double>(),
                part_rows = round_up(ceil_div(part_elements, a.channels), together),
                parts = ceil_div(a.rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    on.template call<kernels::layer_norm_chunk<T>>(a, part * part_rows, (std::min)(a.rows, (part + 1) * part_rows));
  });
}
template <std::floating_point T>
type_list<kernels::layer_norm_chunk<T>> kernels_of(const layer_norm_args<T>&);

/// One pass over x and dy gives dx and, in sums for every part, dgamma and dbeta.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const layer_norm_backward_args<T>& a) {
  const index_t n = a.channels;
  if (a.rows == 0) {
    std::fill_n(a.dgamma, n, T(0));
    std::fill_n(a.dbeta, n, T(0));
    return;
  }
  const auto of = detail::sums_of_channels<T, kernels::weight_sums>(
      on, kernels::wide_rows{n, a.rows, 0}, n,
      [&](const kernels::wide_rows& rows, index_t first, const auto& work, auto*, kernels::weight_sums* sums) {
        on.template call<kernels::layer_norm_backward_chunk<T>>(a, first / n, first / n + rows.rows, work, sums);
      });
  kernels::add_parts(of.sums, of.parts, n);
  for (index_t j = 0; j < n; ++j) {
    a.dgamma[j] = static_cast<T>(of.sums[j].product);
    a.dbeta[j] = static_cast<T>(of.sums[j].sum);
  }
}
template <std::floating_point T>
type_list<kernels::layer_norm_backward_chunk<T>> kernels_of(const layer_norm_backward_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
