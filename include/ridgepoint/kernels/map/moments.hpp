// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>

#include <ridgepoint/kernels/map/columns.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Moments of `count` values of T in double, for values whose sum of squares overflows T.
/// for_each(use) calls use(value) for each value.
template <class T, class ForEach>
[[nodiscard]] RIDGEPOINT_NOINLINE moments moments_in_double(index_t count, const ForEach& for_each) noexcept {
  moments of{.count = static_cast<double>(count)};
  double sum = 0;
  for_each([&](T value) { sum += static_cast<double>(value); });
  const double mean = sum / of.count;
  for_each([&](T value) {
    const double d = static_cast<double>(value) - mean;
    of.squares += d * d;
  });
  of.centre = std::isfinite(mean) ? static_cast<double>(static_cast<T>(mean)) : 0;
  of.beyond = mean - of.centre;
  return of;
}
/// Least inverse computed in T. Gradients of rows and groups have a slope of about inverse², out of float's range
/// below.
inline constexpr double least_inverse = 0x1p-40;
/// Whether Σ x² of T has overflowed, or contains a NaN.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE bool overflows(T squares) noexcept {
  return sizeof(T) < sizeof(double) && !(squares < std::numeric_limits<T>::infinity());
}

/// of(j) ← moments of column j, which is read once. Requires: g has a row.
///
/// Values are summed in T around a centre near their mean, so that mean ≫ deviation loses no digits: first the mean
/// of a few rows, then that of all previous rows. After every block of rows the sums are added to sums in double.
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
    const wide_rows here = g.part(first, (std::min)(g.rows, first + summed_rows<T>));
    std::fill_n(work.sums, g.width, T(0));
    std::fill_n(work.products, g.width, T(0));
    centred_sums<false>(x + first * g.width, x, work.centre, here, work.sums, work.products);
    for (index_t j = 0; j < g.width; ++j) {
      const auto count = static_cast<double>(here.rows + (j < here.rest ? 1 : 0));
      const auto sum = static_cast<double>(work.sums[j]), squares = static_cast<double>(work.products[j]);
      const double beyond = sum / count;
      if (overflows(work.products[j]))
        of[j].add(moments_in_double<T>(static_cast<index_t>(count), [&](const auto& use) {
          for (index_t at = first * g.width + j, end = at + static_cast<index_t>(count) * g.width; at < end;
               at += g.width)
            use(x[at]);
        }));
      else of[j].add({count, static_cast<double>(work.centre[j]), beyond, squares - sum * beyond});
      start_from(j, static_cast<T>(of[j].mean()));
    }
  }
}

/// Sums of dy and dy·(x − centre) in double, of `count` elements with stride `stride`, if the sums in T are not finite.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE product_sums products_in_double(const T* x, const T* dy, index_t count,
                                                                  index_t stride, T centre) noexcept {
  product_sums of;
  for (index_t i = 0; i < count; ++i, x += stride, dy += stride) {
    const auto u = static_cast<double>(*dy);
    of.sum.sum += u;
    of.product.sum += u * (static_cast<double>(*x) - static_cast<double>(centre));
  }
  return of;
}

/// of(j) ← sums of column j's dy and dy·(x − centre), in double as in column_moments().
template <class T>
void column_products(const T* x, const T* dy, const wide_rows& g, const column_sums<T>& work,
                     product_sums* of) noexcept {
  std::fill_n(of, g.width, product_sums{});
  for (index_t first = 0; first < g.rows; first += summed_rows<T>) {
    const wide_rows here = g.part(first, (std::min)(g.rows, first + summed_rows<T>));
    std::fill_n(work.sums, g.width, T(0));
    std::fill_n(work.products, g.width, T(0));
    centred_sums<true>(x + first * g.width, dy + first * g.width, work.centre, here, work.sums, work.products);
    for (index_t j = 0; j < g.width; ++j)
      if (overflows(std::abs(work.products[j])) || overflows(std::abs(work.sums[j])))
        of[j].add(products_in_double(x + first * g.width + j, dy + first * g.width + j,
                                     here.rows + (j < here.rest ? 1 : 0), g.width, work.centre[j]));
      else of[j].add({{static_cast<double>(work.sums[j])}, {static_cast<double>(work.products[j])}});
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
