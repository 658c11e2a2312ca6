// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/kernels/map/columns.hpp>
#include <ridgepoint/kernels/map/group_norm_kernels.hpp>
#include <ridgepoint/kernels/map/moments.hpp>

/// Statistics of groups of adjacent columns, from column sums.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {
/// Sums around the centres of `of`, which are exact in T, in one pass over x.
template <class T>
void group_sums(const T* x, const grouped_columns& g, const column_sums<T>& work, group_statistics* of) noexcept {
  g.for_each([&](index_t j, index_t, index_t k) { work.centre[j] = static_cast<T>(of[k].centre); });
  for (index_t k = 0; k < g.groups; ++k) of[k].beyond = of[k].variance = 0;
  g.for_summed_rows<T>([&](index_t first, const wide_rows& rows) {
    std::fill_n(work.sums, rows.width, T(0));
    std::fill_n(work.products, rows.width, T(0));
    centred_sums<false>(x + first, x, work.centre, rows, work.sums, work.products);
    g.for_each([&](index_t j, index_t, index_t k) {
      of[k].beyond += static_cast<double>(work.sums[j]);
      of[k].variance += static_cast<double>(work.products[j]);
    });
  });
  for (index_t k = 0; k < g.groups; ++k) {
    const double sum = of[k].beyond, beyond = sum / g.count(), squares = of[k].variance - sum * beyond;
    of[k].beyond = beyond;
    of[k].variance = squares < 0 ? 0 : squares / g.count();  // rounding must not make it negative; a NaN stays
  }
}
}  // namespace detail

/// of[k] ← statistics of group k of an image, from sums around a centre near the mean: mean ≫ deviation loses no
/// digits. The first estimate is the mean of about sixteen elements; if it is too far from the mean, the sums are
/// repeated around the mean they gave.
template <class T>
void find_group_statistics(const T* x, const grouped_columns& g, const column_sums<T>& work,
                           group_statistics* of) noexcept {
  const index_t each = g.channels / g.groups, few = std::min<index_t>(each, 16),
                pixels = (std::min)(ceil_div(index_t{16}, each), g.pixels);
  const auto centre_on = [&](index_t k, T mean) {
    of[k].centre = std::isfinite(mean) ? static_cast<double>(mean) : 0.0;
  };
  for (index_t k = 0; k < g.groups; ++k) {
    T sum(0);
    for (index_t p = 0; p < pixels; ++p)
      for (index_t c = 0; c < few; ++c) sum += x[p * g.channels + k * each + c];
    centre_on(k, sum / static_cast<T>(pixels * few));
  }
  detail::group_sums(x, g, work, of);
  if (std::none_of(of, of + g.groups, [](const group_statistics& s) { return s.is_far(); })) return;
  for (index_t k = 0; k < g.groups; ++k) centre_on(k, static_cast<T>(of[k].centre + of[k].beyond));
  detail::group_sums(x, g, work, of);
}

/// y ← (x − centre)·scale + (beta − beyond·scale), where centre + beyond is the mean.
template <class T>
void group_norm_images<T>::run(const group_norm_args<T>& a, const grouped_columns& g, index_t first, index_t end,
                               const group_memory<T, group_statistics>& memory) noexcept {
  using batch = simd::batch<T>;
  const index_t groups = a.options.groups, image = a.pixels * a.channels, each = a.channels / groups;
  group_statistics* const of = memory.groups;
  for (index_t i = first; i < end; ++i) {
    const T* const x = a.x + i * image;
    find_group_statistics(x, g, memory.work, of);
    for (index_t k = 0; k < groups; ++k) {
      double inverse = 1 / std::sqrt(of[k].variance + a.options.epsilon);
      if (sizeof(T) < sizeof(double) && !(inverse > 0)) [[unlikely]] {  // squares have overflowed, or NaN
        const moments all = moments_in_double<T>(a.pixels * each, [&](const auto& use) {
          for (index_t p = 0; p < a.pixels; ++p)
            for (index_t c = k * each; c < (k + 1) * each; ++c) use(x[p * a.channels + c]);
        });
        of[k].centre = all.centre, of[k].beyond = all.beyond;
        inverse = 1 / std::sqrt(all.variance() + a.options.epsilon);
      }
      of[k].variance = inverse;
      if (a.mean == nullptr) continue;
      a.mean[i * groups + k] = static_cast<T>(of[k].centre + of[k].beyond);
      a.inverse[i * groups + k] = static_cast<T>(inverse);
    }
    set_parameters<3>(memory.column_parameters, g.rows, a.channels, [&](index_t c) {
      const group_statistics& s = of[c / each];
      const double scale = static_cast<double>(a.gamma[c]) * s.variance;
      return std::array{s.centre, scale, static_cast<double>(a.beta[c]) - s.beyond * scale};
    });
    map_columns<3, T>(std::array{x}, memory.column_parameters, a.y + i * image, g.rows,
                      [](const auto& p, const auto& v)
                          RIDGEPOINT_INLINE_LAMBDA -> batch { return simd::fma(v[0] - p[0], p[1], p[2]); });
  }
}

template <class T>
void group_norm_backward_images<T>::run(const group_norm_backward_args<T>& a, const grouped_columns& g, index_t first,
                                        index_t end, const group_memory<T, weight_sums>& memory, product_sums* channels,
                                        weight_sums* of) noexcept {
  using batch = simd::batch<T>;
  const index_t groups = a.groups, image = a.pixels * a.channels, each = a.channels / groups;
  const double share = 1 / g.count();
  const column_sums<T>& work = memory.work;
  weight_sums* const slopes = memory.groups;
  for (index_t i = first; i < end; ++i) {
    const T *const x = a.x + i * image, *const dy = a.dy + i * image, *const mean = a.mean + i * groups,
                   *const inverse = a.inverse + i * groups;
    g.for_each([&](index_t j, index_t, index_t k) { work.centre[j] = mean[k]; });
    std::fill_n(channels, a.channels, product_sums{});
    g.template for_summed_rows<T>([&](index_t begin, const wide_rows& rows) {
      std::fill_n(work.sums, rows.width, T(0));
      std::fill_n(work.products, rows.width, T(0));
      centred_sums<true>(x + begin, dy + begin, work.centre, rows, work.sums, work.products);
      g.for_each([&](index_t j, index_t c, index_t) {
        if (overflows(std::abs(work.products[j])) || overflows(std::abs(work.sums[j])))
          channels[c].add(products_in_double(x + begin + j, dy + begin + j, rows.rows + (j < rows.rest ? 1 : 0),
                                             rows.width, work.centre[j]));
        else channels[c].add({{static_cast<double>(work.sums[j])}, {static_cast<double>(work.products[j])}});
      });
    });
    std::fill_n(slopes, groups, weight_sums{});
    for (index_t c = 0; c < a.channels; ++c) {
      const index_t k = c / each;
      const double sum = channels[c].sum.value(), product = channels[c].product.value();
      of[c].add({sum, product * static_cast<double>(inverse[k])});
      if (a.dx == nullptr) continue;
      const auto gamma = static_cast<double>(a.gamma[c]);
      slopes[k].add({gamma * sum, gamma * product});
    }
    if (a.dx == nullptr) continue;
    if (sizeof(T) < sizeof(double) && static_cast<double>(*std::min_element(inverse, inverse + groups)) < least_inverse)
        [[unlikely]] {
      for (index_t at = 0; at < image; ++at) {
        const index_t c = at % a.channels, k = c / each;
        const double by = static_cast<double>(inverse[k]),
                     d = static_cast<double>(x[at]) - static_cast<double>(mean[k]),
                     own = static_cast<double>(dy[at]) * static_cast<double>(a.gamma[c]);
        a.dx[i * image + at] =
            static_cast<T>(by * (own - slopes[k].sum * share - d * by * (by * slopes[k].product) * share));
      }
      continue;
    }
    set_parameters<4>(memory.column_parameters, g.rows, a.channels, [&](index_t c) {
      const index_t k = c / each;
      const auto by = static_cast<double>(inverse[k]);
      const double over = by * share;
      return std::array{static_cast<double>(mean[k]), static_cast<double>(a.gamma[c]) * by, -slopes[k].sum * over,
                        slopes[k].product * over * by * by};
    });
    map_columns<4, T>(std::array{x, dy}, memory.column_parameters, a.dx + i * image, g.rows,
                      [](const auto& p, const auto& v) RIDGEPOINT_INLINE_LAMBDA -> batch {
                        return simd::fma(p[0] - v[0], p[3], simd::fma(v[1], p[1], p[2]));
                      });
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
