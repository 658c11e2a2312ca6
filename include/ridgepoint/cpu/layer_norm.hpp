// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/column_parts.hpp>
#include <ridgepoint/kernels/map/row_norm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// take(Rows, row) for rows [begin, end): up to as many together as `most` says, then half as many, down to one.
template <int Rows = kernels::rows_together, class Take>
void for_row_groups(index_t begin, index_t end, index_t most, const Take& take) noexcept {
  index_t row = begin;
  if (Rows == 1 || Rows <= most)
    for (; row + Rows <= end; row += Rows) take(std::integral_constant<int, Rows>{}, row);
  if constexpr (Rows > 1) for_row_groups<Rows / 2>(row, end, most, take);
}
}  // namespace detail

/// Parts are whole rows, each of which is in cache from its statistics to its result.
template <std::floating_point T>
void execute(const native_cpu& on, const layer_norm_args<T>& a) {
  const index_t part_rows = round_up(ceil_div(part_elements, a.channels), index_t{kernels::rows_together}),
                parts = ceil_div(a.rows, part_rows);
  parallel_for(parts > 1 ? on.thread_count() : 1, parts, [&](index_t part) {
    detail::for_row_groups(part * part_rows, std::min(a.rows, (part + 1) * part_rows),
                           kernels::rows_at_once<T>(a.channels),
                           [&](auto rows, index_t row) { kernels::layer_norm_rows<rows>(a, row); });
  });
}

/// One pass over x and dy gives dx and, in sums for every part, dgamma and dbeta.
template <std::floating_point T>
void execute(const native_cpu& on, const layer_norm_backward_args<T>& a) {
  const index_t n = a.channels;
  if (a.rows == 0) {
    std::fill_n(a.dgamma, n, T(0));
    std::fill_n(a.dbeta, n, T(0));
    return;
  }
  const auto* const sums = detail::sums_of_channels<T, kernels::weight_sums>(
      on, kernels::wide_rows{n, a.rows, 0}, n,
      [&](const kernels::wide_rows& rows, index_t first, const kernels::column_sums<T>& work,
          kernels::weight_sums* of) {
        std::fill_n(of, n, kernels::weight_sums{});
        for (index_t done = 0; done < rows.rows; done += kernels::summed_rows<T>) {
          const index_t begin = first / n + done;
          std::fill_n(work.sums, n, T(0));
          std::fill_n(work.products, n, T(0));
          detail::for_row_groups(begin, begin + std::min(kernels::summed_rows<T>, rows.rows - done),
                                 kernels::rows_at_once<T>(n), [&](auto together, index_t row) {
                                   kernels::layer_norm_gradient_rows<together>(a, row, work.products, work.sums);
                                 });
          for (index_t j = 0; j < n; ++j)
            of[j].add({static_cast<double>(work.sums[j]), static_cast<double>(work.products[j])});
        }
      });
  for (index_t j = 0; j < n; ++j) {
    a.dgamma[j] = static_cast<T>(sums[j].product);
    a.dbeta[j] = static_cast<T>(sums[j].sum);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
