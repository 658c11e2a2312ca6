// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/map/columns.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// of(j) ← moments of column j, which is read once. Requires: g has a row.
///
/// Values are summed in T from a centre near their mean, so that a mean ≫ deviation costs no digits: at first the mean
/// of a few rows, then that of all rows before. Every so many rows go to sums in double.
template <class T>
void column_moments(const T* x, const wide_rows& g, const column_sums<T>& work, moments* of) noexcept {
  std::fill_n(of, g.width, moments{});
  const index_t few = std::min<index_t>(16, g.rows);
  std::fill_n(work.centre, g.width, T(0));
  std::fill_n(work.sums, g.width, T(0));
  std::fill_n(work.products, g.width, T(0));
  centred_sums<false>(x, x, work.centre, {g.width, few, 0}, work.sums, work.products);
  const auto start_from = [&](index_t j, T centre) { work.centre[j] = std::isfinite(centre) ? centre : T(0); };
  for (index_t j = 0; j < g.width; ++j) start_from(j, work.sums[j] / static_cast<T>(few));
  for (index_t first = 0; first < g.rows; first += summed_rows<T>) {
    const wide_rows here = g.part(first, std::min(g.rows, first + summed_rows<T>));
    std::fill_n(work.sums, g.width, T(0));
    std::fill_n(work.products, g.width, T(0));
    centred_sums<false>(x + first * g.width, x, work.centre, here, work.sums, work.products);
    for (index_t j = 0; j < g.width; ++j) {
      const auto count = static_cast<double>(here.rows + (j < here.rest ? 1 : 0));
      const auto sum = static_cast<double>(work.sums[j]), squares = static_cast<double>(work.products[j]);
      const double beyond = sum / count;
      of[j].add({count, static_cast<double>(work.centre[j]), beyond, squares - sum * beyond});
      start_from(j, static_cast<T>(of[j].mean()));
    }
  }
}

/// of(j) ← sums of column j's dy and dy·(x − centre), in double as column_moments().
template <class T>
void column_products(const T* x, const T* dy, const wide_rows& g, const column_sums<T>& work,
                     product_sums* of) noexcept {
  std::fill_n(of, g.width, product_sums{});
  for (index_t first = 0; first < g.rows; first += summed_rows<T>) {
    const wide_rows here = g.part(first, std::min(g.rows, first + summed_rows<T>));
    std::fill_n(work.sums, g.width, T(0));
    std::fill_n(work.products, g.width, T(0));
    centred_sums<true>(x + first * g.width, dy + first * g.width, work.centre, here, work.sums, work.products);
    for (index_t j = 0; j < g.width; ++j)
      of[j].add({{static_cast<double>(work.sums[j])}, {static_cast<double>(work.products[j])}});
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
