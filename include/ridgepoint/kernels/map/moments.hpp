// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/kernels/map/columns.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Count, mean and Σ (x − mean)² of some values, which can be put together with those of others (Chan, Golub, LeVeque).
/// The mean is centre + beyond: between means that are near each other no digits are lost.
struct moments {
  double count = 0, centre = 0, beyond = 0, squares = 0;

  void add(const moments& other) noexcept {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    const double all = count + other.count, share = other.count / all;
    const double apart = (other.centre - centre) + (other.beyond - beyond);
    squares += other.squares + apart * apart * count * share;
    beyond += std::isfinite(apart) ? apart * share : other.beyond;
    count = all;
  }
  [[nodiscard]] double mean() const noexcept { return centre + beyond; }
  /// The biased one. Rounding must not make it negative; a NaN stays.
  [[nodiscard]] double variance() const noexcept { return squares < 0 ? 0 : squares / count; }
};

/// A sum with what its additions have lost (Knuth's TwoSum).
struct exact_sum {
  double sum = 0, lost = 0;

  void add(const exact_sum& other) noexcept {
    const double total = sum + other.sum, added = total - sum;
    lost += ((sum - (total - added)) + (other.sum - added)) + other.lost;
    sum = total;
  }
  [[nodiscard]] double value() const noexcept { return std::isfinite(sum) ? sum + lost : sum; }
};

/// Σ dy and Σ dy·(x − centre).
struct product_sums {
  exact_sum sum = {}, product = {};

  void add(const product_sums& other) noexcept {
    sum.add(other.sum);
    product.add(other.product);
  }
};

/// Σ dy and Σ dy·(what is normalised), for the gradients of beta and gamma alone.
struct weight_sums {
  double sum = 0, product = 0;

  void add(const weight_sums& other) noexcept {
    sum += other.sum;
    product += other.product;
  }
};

/// Rows that are summed in T before they are added to sums in double. The error of a double's sum is that of its
/// elements: all of an image's pixels inherit it.
template <class T>
inline constexpr index_t summed_rows = sizeof(T) < sizeof(double) ? 256 : 32;

/// Working memory of a column's sums: a number of T per column each.
template <class T>
struct column_sums {
  T *centre, *sums, *products;
};

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
