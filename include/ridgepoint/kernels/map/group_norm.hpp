// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/kernels/map/moments.hpp>

/// Statistics of groups of neighbouring columns, from sums of the columns.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// The columns of an image: pixels of channels, equally many in each group.
struct grouped_columns {
  wide_rows rows;  // of the pixels
  index_t pixels, channels, groups;

  template <class T>
  [[nodiscard]] static grouped_columns of(index_t pixels, index_t channels, index_t groups) noexcept {
    return {wide_rows::of<T>(pixels, channels), pixels, channels, groups};
  }
  /// Elements of a group.
  [[nodiscard]] double count() const noexcept {
    const index_t each = channels / groups;
    return static_cast<double>(pixels * each);
  }
  /// use(column of a wide row, channel, group) for all of them.
  template <class Use>
  void for_each(const Use& use) const {
    const index_t each = channels / groups;
    for (index_t first = 0; first < rows.width; first += channels)
      for (index_t k = 0; k < groups; ++k)
        for (index_t c = k * each; c < (k + 1) * each; ++c) use(first + c, c, k);
  }
  /// use(first element, rows) for as many rows as are summed in T.
  template <class T, class Use>
  void for_summed_rows(const Use& use) const {
    for (index_t first = 0; first < rows.rows; first += summed_rows<T>)
      use(first * rows.width, rows.part(first, std::min(rows.rows, first + summed_rows<T>)));
  }
};

/// Of a group; its mean is centre + beyond.
struct group_statistics {
  double centre = 0, beyond = 0, variance = 0;

  /// Whether the centre is so far from the mean that the sums from there have lost digits.
  [[nodiscard]] bool far() const noexcept { return beyond * beyond > variance; }
};

namespace detail {
/// The sums from the centres of `of`, which T holds, in one pass over x.
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

/// of[k] ← statistics of group k of an image, from sums around a centre near the mean: a mean ≫ deviation costs no
/// digits. The first guess is the mean of some sixteen elements; where they say nothing of the others, the sums are
/// made again from the mean they gave.
template <class T>
void find_group_statistics(const T* x, const grouped_columns& g, const column_sums<T>& work,
                           group_statistics* of) noexcept {
  const index_t each = g.channels / g.groups, few = std::min<index_t>(each, 16),
                pixels = std::min(ceil_div(index_t{16}, each), g.pixels);
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
  if (std::none_of(of, of + g.groups, [](const group_statistics& s) { return s.far(); })) return;
  for (index_t k = 0; k < g.groups; ++k) centre_on(k, static_cast<T>(of[k].centre + of[k].beyond));
  detail::group_sums(x, g, work, of);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
