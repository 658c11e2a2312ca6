// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/map/column_sum.hpp>
#include <ridgepoint/kernels/map/elementwise_kernels.hpp>
#include <ridgepoint/kernels/map/normalisation_kernels.hpp>
#include <ridgepoint/ops/layer_norm.hpp>
#include <ridgepoint/simd/lanes.hpp>

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

namespace detail {
/// of(channel) ← sum of the channel's columns.
template <class Sum>
void sum_channels(const Sum* columns, index_t width, index_t channels, Sum* of) noexcept {
  std::copy_n(columns, channels, of);
  for (index_t j = channels; j < width; ++j) of[j % channels].add(columns[j]);
}
}  // namespace detail

template <class T>
void batch_norm_sums<T>::run(const batch_norm_args<T>& a, const wide_rows& rows, index_t first,
                             const column_sums<T>& work, moments* columns, moments* channels) noexcept {
  column_moments(a.x + first, rows, work, columns);
  detail::sum_channels(columns, rows.width, a.channels, channels);
}
/// Adds to beta the part of the mean lost by rounding to T.
template <class T>
void batch_norm_parameters<T>::run(const batch_norm_args<T>& a, const wide_rows& g, moments* of_parts, index_t parts,
                                   T* parameters) noexcept {
  add_parts(of_parts, parts, a.channels);
  const double rows = static_cast<double>(a.rows), unbiased = rows / (std::max)(1.0, rows - 1);
  const auto move = [&](T& old, double to) {
    const auto before = static_cast<double>(old);
    old = static_cast<T>(before + (to - before) * (1 - a.options.momentum));
  };
  set_parameters<3>(parameters, g, a.channels, [&](index_t c) {
    const moments& of = of_parts[c];
    const double mean = of.mean(), variance = of.variance();
    const double inverse = 1 / std::sqrt(variance + a.options.epsilon);
    const double scale = static_cast<double>(a.gamma[c]) * inverse;
    a.mean[c] = static_cast<T>(mean);
    a.inverse[c] = static_cast<T>(inverse);
    const double lost = (of.centre - static_cast<double>(a.mean[c])) + of.beyond;
    if (a.moving_mean != nullptr) {
      move(a.moving_mean[c], mean);
      move(a.moving_variance[c], variance * unbiased);
    }
    return std::array{mean, scale, static_cast<double>(a.beta[c]) - (std::isfinite(lost) ? lost * scale : 0)};
  });
}
template <class T>
void batch_norm_rows<T>::run(const batch_norm_args<T>& a, const wide_rows& rows, index_t first,
                             const T* parameters) noexcept {
  using batch = simd::batch<T>;
  map_columns<3>(std::array{a.x + first}, parameters, a.y + first, rows,
                 [](const auto& p, const auto& x)
                     RIDGEPOINT_INLINE_LAMBDA -> batch { return simd::fma(x[0] - p[0], p[1], p[2]); });
}

template <class T>
void batch_norm_backward_sums<T>::run(const batch_norm_backward_args<T>& a, const wide_rows& rows, index_t first,
                                      const column_sums<T>& work, product_sums* columns,
                                      product_sums* channels) noexcept {
  for (index_t j = 0; j < rows.width; ++j) work.centre[j] = a.mean[j % a.channels];
  column_products(a.x + first, a.dy + first, rows, work, columns);
  detail::sum_channels(columns, rows.width, a.channels, channels);
}
template <class T>
void batch_norm_backward_parameters<T>::run(const batch_norm_backward_args<T>& a, const wide_rows& g,
                                            product_sums* of_parts, index_t parts, T* parameters) noexcept {
  add_parts(of_parts, parts, a.channels);
  const double share = 1 / static_cast<double>(a.rows);
  set_parameters<4>(parameters, g, a.channels, [&](index_t c) {
    const product_sums& of = of_parts[c];
    const auto inverse = static_cast<double>(a.inverse[c]);
    const double dgamma = of.product.value() * inverse;
    a.dgamma[c] = static_cast<T>(dgamma);
    a.dbeta[c] = static_cast<T>(of.sum.value());
    const double scale = a.dx != nullptr ? static_cast<double>(a.gamma[c]) * inverse : 0;
    return std::array{static_cast<double>(a.mean[c]), scale, of.sum.value() * share, dgamma * inverse * share};
  });
}
template <class T>
void batch_norm_backward_rows<T>::run(const batch_norm_backward_args<T>& a, const wide_rows& rows, index_t first,
                                      const T* parameters) noexcept {
  using batch = simd::batch<T>;
  map_columns<4>(std::array{a.x + first, a.dy + first}, parameters, a.dx + first, rows,
                 [](const auto& p, const auto& x)
                     RIDGEPOINT_INLINE_LAMBDA -> batch { return p[1] * simd::fma(p[0] - x[0], p[3], x[1] - p[2]); });
}

template <class T>
void batch_norm_inference_parameters<T>::run(const batch_norm_inference_args<T>& a, const wide_rows& g,
                                             T* parameters) noexcept {
  set_parameters<2>(parameters, g, a.channels, [&](index_t c) {
    const double inverse = 1 / std::sqrt(static_cast<double>(a.variance[c]) + a.options.epsilon);
    const double scale = static_cast<double>(a.gamma[c]) * inverse;
    return std::array{scale, static_cast<double>(a.beta[c]) - static_cast<double>(a.mean[c]) * scale};
  });
}
template <class T>
void batch_norm_inference_rows<T>::run(const batch_norm_inference_args<T>& a, const wide_rows& rows, index_t first,
                                       const T* parameters) noexcept {
  using batch = simd::batch<T>;
  map_columns<2>(std::array{a.x + first}, parameters, a.y + first, rows,
                 [](const auto& p, const auto& x)
                     RIDGEPOINT_INLINE_LAMBDA -> batch { return simd::fma(x[0], p[0], p[1]); });
}

template <class T>
void fold_batch_norm_parameters<T>::run(const fold_batch_norm_args<T>& a, const wide_rows& g, T* parameters) noexcept {
  set_parameters<1>(parameters, g, a.channels, [&](index_t c) {
    const double inverse = 1 / std::sqrt(static_cast<double>(a.variance[c]) + a.options.epsilon);
    const double scale = static_cast<double>(a.gamma[c]) * inverse;
    const double bias = a.bias == nullptr ? 0 : static_cast<double>(a.bias[c]);
    a.folded_bias[c] = static_cast<T>(static_cast<double>(a.beta[c]) + (bias - static_cast<double>(a.mean[c])) * scale);
    return std::array{scale};
  });
}
template <class T>
void fold_batch_norm_rows<T>::run(const fold_batch_norm_args<T>& a, const wide_rows& rows, index_t first,
                                  const T* parameters) noexcept {
  using batch = simd::batch<T>;
  map_columns<1>(std::array{a.w + first}, parameters, a.folded_w + first, rows,
                 [](const auto& p, const auto& w) RIDGEPOINT_INLINE_LAMBDA -> batch { return w[0] * p[0]; });
}

/// None and relu are applied with the addition, other activations to each block of rows while it is in L1.
template <class T>
void add_bias_rows<T>::run(const add_bias_args<T>& a, const wide_rows& rows, index_t first,
                           const T* parameters) noexcept {
  using batch = simd::batch<T>;
  const auto add = [&](index_t at, const wide_rows& some, const auto& formula) RIDGEPOINT_INLINE_LAMBDA {
    map_columns<1>(std::array{a.x + at}, parameters, a.y + at, some,
                   [&](const auto& p, const auto& x)
                       RIDGEPOINT_INLINE_LAMBDA -> batch { return formula(x[0] + p[0])[0]; });
  };
  if (a.act == activation::relu) return add(first, rows, relu<T>{});
  const index_t block = a.act == activation::none ? rows.rows : (std::max)(index_t{1}, 2048 / rows.width);
  index_t begin = 0;
  do {
    const index_t end = (std::min)(rows.rows, begin + block), at = first + begin * rows.width;
    const wide_rows some = rows.part(begin, end);
    add(at, some, identity<T>{});
    if (a.act != activation::none)
      activate_chunk<T>::run({.f = a.act, .x = a.y, .y = a.y}, stores::cached, at,
                             at + some.rows * some.width + some.rest);
    begin = end;
  } while (begin < rows.rows);
}

// Statistics of groups of adjacent columns, from column sums.

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

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

// Normalisation along dense rows, several narrow rows together: column parameters are loaded once for all of them, and
// their sums across lanes are computed together. The first pass over a row reads it from memory; later passes find it
// in L1.

/// Maximum number of rows processed together: their statistics then fill one register of doubles.
inline constexpr int rows_together = simd::lanes<double>;
/// Number of rows processed together: up to 2 KiB. Wider rows are read one by one: 97 % of a copy's speed in L3 for
/// rows of 2 KiB on an Emerald Rapids; two interleaved rows reach 73 %.
template <class T>
[[nodiscard]] constexpr index_t rows_at_once(index_t channels) noexcept {
  return std::max<index_t>(1, 2048 / static_cast<index_t>(sizeof(T)) / channels);
}

namespace detail {
template <class T>
RIDGEPOINT_INLINE simd::batch<T> zeros_beyond(all_lanes, simd::batch<T> x) noexcept {
  return x;
}
template <class T>
RIDGEPOINT_INLINE simd::batch<T> zeros_beyond(first_lanes some, simd::batch<T> x) noexcept {
  return simd::first(x, some.n, simd::batch<T>(T(0)));
}

/// total[i] ← sum i over n columns. add(j, some, sums) adds lanes `some` of the columns from j on to one register of T
/// per sum. Uses at least four registers in rotation, and adds them to double after 256 additions.
template <int Rows, class T, int Sums, class Add>
RIDGEPOINT_INLINE void sum_columns(index_t n, double (&total)[Sums], const Add& add) noexcept {
  using batch = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>, turns = Rows < 4 ? 4 / Rows : 1, flush = 256 * lanes;
  std::fill_n(total, Sums, 0.0);
  for (index_t first = 0; first < n; first += flush) {
    const index_t end = (std::min)(n, first + flush);
    batch turn[turns][Sums];
    for (auto& sums : turn)
      for (batch& sum : sums) sum = batch(T(0));
    index_t j = first;
    for (; j + turns * lanes <= end; j += turns * lanes) {
      RIDGEPOINT_UNROLL
      for (index_t u = 0; u < turns; ++u) add(j + u * lanes, all_lanes{}, turn[u]);
    }
    for_columns<T>(end - j,
                   [&](index_t beyond, auto some) RIDGEPOINT_INLINE_LAMBDA { add(j + beyond, some, turn[0]); });
    RIDGEPOINT_UNROLL
    for (index_t u = 1; u < turns; ++u)
      for (int i = 0; i < Sums; ++i) turn[0][i] = turn[0][i] + turn[u][i];
    T sum[Sums];
    simd::sums<T, Sums>(turn[0], sum);
    for (int i = 0; i < Sums; ++i) total[i] += static_cast<double>(sum[i]);
  }
}
}  // namespace detail

/// Statistics of rows: the mean is centre + beyond.
template <int Rows>
struct row_statistics {
  double centre[Rows], beyond[Rows], variance[Rows];
};

namespace detail {
/// Whether a centre is so far from the mean that sums around it have lost digits.
template <int Rows>
[[nodiscard]] RIDGEPOINT_INLINE bool is_far(const row_statistics<Rows>& of) noexcept {
  bool result = false;
  for (int r = 0; r < Rows; ++r) result = result || of.beyond[r] * of.beyond[r] > of.variance[r];
  return result;
}
/// Sums around these centres, in one pass.
template <int Rows, class T>
RIDGEPOINT_INLINE void statistics_from(const T* x, index_t n, const T (&centre)[Rows],
                                       row_statistics<Rows>& of) noexcept {
  using batch = simd::batch<T>;
  double sums[2 * Rows];
  sum_columns<Rows, T>(n, sums, [&](index_t j, auto some, auto& sum) RIDGEPOINT_INLINE_LAMBDA {
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const batch d = zeros_beyond<T>(some, some.load(x + r * n + j) - batch(centre[r]));
      sum[r] = sum[r] + d;
      sum[Rows + r] = simd::fma(d, d, sum[Rows + r]);
    }
  });
  const double share = 1 / static_cast<double>(n);
  for (int r = 0; r < Rows; ++r) {
    of.centre[r] = static_cast<double>(centre[r]);
    of.beyond[r] = sums[r] * share;
    const double squares = sums[Rows + r] - sums[r] * of.beyond[r];
    of.variance[r] = squares < 0 ? 0 : squares * share;  // rounding must not make it negative; a NaN stays
  }
}
}  // namespace detail

/// Statistics of rows of n columns, from sums around a centre near the mean: mean ≫ deviation loses no digits. The
/// first estimate is the mean of a register of columns; if it is too far from the mean, the sums are repeated around
/// the mean they gave.
template <int Rows, class T>
RIDGEPOINT_INLINE void find_statistics(const T* x, index_t n, row_statistics<Rows>& of) noexcept {
  const index_t few = std::min<index_t>(n, simd::lanes<T>);
  T centre[Rows];
  simd::batch<T> start[Rows];
  for (int r = 0; r < Rows; ++r)
    start[r] = few < simd::lanes<T> ? simd::load_partial(x + r * n, few) : simd::load(x + r * n);
  simd::sums<T, Rows>(start, centre);
  const auto centre_on = [&](int r, T mean) { centre[r] = std::isfinite(mean) ? mean : T(0); };
  for (int r = 0; r < Rows; ++r) centre_on(r, centre[r] * (T(1) / static_cast<T>(few)));
  detail::statistics_from(x, n, centre, of);
  if (!detail::is_far(of)) return;
  for (int r = 0; r < Rows; ++r) centre_on(r, static_cast<T>(of.centre[r] + of.beyond[r]));
  detail::statistics_from(x, n, centre, of);
}

namespace detail {
/// inverse[r] ← 1/√(squares[r] + ε).
template <int Rows>
RIDGEPOINT_INLINE void invert_roots(const double (&squares)[Rows], double epsilon, double (&inverse)[Rows]) noexcept {
  if constexpr (Rows == simd::lanes<double>)
    simd::store(inverse, simd::batch<double>(1.0) / simd::sqrt(simd::load(squares) + simd::batch<double>(epsilon)));
  else
    for (int r = 0; r < Rows; ++r) inverse[r] = 1 / std::sqrt(squares[r] + epsilon);
}
/// Calls repair(r) for each row r whose squares have overflowed T, or contain a NaN: its inverse is not positive.
template <class T, int Rows, class Repair>
RIDGEPOINT_INLINE void repair_overflows(const double (&inverse)[Rows], const Repair& repair) noexcept {
  if constexpr (sizeof(T) < sizeof(double)) {
    bool overflowed = false;
    for (int r = 0; r < Rows; ++r) overflowed |= !(inverse[r] > 0);
    if (!overflowed) [[likely]]
      return;
    for (int r = 0; r < Rows; ++r)
      if (!(inverse[r] > 0)) repair(r);
  }
}
}  // namespace detail

/// Computes rows from `row` on of layer_norm(): y ← ((x − centre)·inverse + shift)·gamma + beta, where the centre is
/// near the mean and the shift is the remainder.
template <int Rows, class T>
void norm_rows(const layer_norm_args<T>& a, index_t row) noexcept {
  using batch = simd::batch<T>;
  const index_t n = a.channels;
  const T* const x = a.x + row * n;
  T* const y = a.y + row * n;
  row_statistics<Rows> of;
  find_statistics(x, n, of);
  double over[Rows];
  detail::invert_roots(of.variance, a.options.epsilon, over);
  detail::repair_overflows<T>(over, [&](int r) {
    const moments exact = moments_in_double<T>(n, [&](const auto& use) {
      for (index_t j = 0; j < n; ++j) use(x[r * n + j]);
    });
    of.centre[r] = exact.centre, of.beyond[r] = exact.beyond;
    over[r] = 1 / std::sqrt(exact.variance() + a.options.epsilon);
  });
  T centre[Rows], inverse[Rows], shift[Rows];
  for (int r = 0; r < Rows; ++r) {
    centre[r] = static_cast<T>(of.centre[r]);
    inverse[r] = static_cast<T>(over[r]);
    shift[r] = static_cast<T>(-of.beyond[r] * over[r]);
  }
  if (a.mean != nullptr)
    for (int r = 0; r < Rows; ++r) {
      a.mean[row + r] = static_cast<T>(of.centre[r] + of.beyond[r]);
      a.inverse[row + r] = inverse[r];
    }
  detail::for_columns<T>(n, [&](index_t j, auto some) RIDGEPOINT_INLINE_LAMBDA {
    const batch gamma = some.load(a.gamma + j), beta = some.load(a.beta + j);
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const batch d = some.load(x + r * n + j) - batch(centre[r]);
      some.store(y + r * n + j, simd::fma(simd::fma(d, batch(inverse[r]), batch(shift[r])), gamma, beta));
    }
  });
}

/// Computes rows from `row` on of rms_norm(): y ← x·inverse·gamma.
template <int Rows, class T>
void norm_rows(const rms_norm_args<T>& a, index_t row) noexcept {
  using batch = simd::batch<T>;
  const index_t n = a.channels;
  const T* const x = a.x + row * n;
  T* const y = a.y + row * n;
  double squares[Rows], over[Rows];
  detail::sum_columns<Rows, T>(n, squares, [&](index_t j, auto some, auto& sums) RIDGEPOINT_INLINE_LAMBDA {
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const batch value = some.load(x + r * n + j);
      sums[r] = simd::fma(value, value, sums[r]);
    }
  });
  for (double& square : squares) square /= static_cast<double>(n);
  detail::invert_roots(squares, a.options.epsilon, over);
  detail::repair_overflows<T>(over, [&](int r) {
    double sum = 0;
    for (index_t j = 0; j < n; ++j) sum += static_cast<double>(x[r * n + j]) * static_cast<double>(x[r * n + j]);
    over[r] = 1 / std::sqrt(sum / static_cast<double>(n) + a.options.epsilon);
  });
  T inverse[Rows];
  for (int r = 0; r < Rows; ++r) inverse[r] = static_cast<T>(over[r]);
  if (a.inverse != nullptr) std::copy_n(inverse, Rows, a.inverse + row);
  detail::for_columns<T>(n, [&](index_t j, auto some) RIDGEPOINT_INLINE_LAMBDA {
    const batch gamma = some.load(a.gamma + j);
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Rows; ++r) some.store(y + r * n + j, some.load(x + r * n + j) * batch(inverse[r]) * gamma);
  });
}

namespace detail {
/// Whether a normalisation subtracts the mean.
template <class Args>
inline constexpr bool subtracts_mean = requires(const Args& a) {
  a.mean;
};

/// dx of one row in double; dx may be dy.
template <class T, class Args>
RIDGEPOINT_NOINLINE void row_gradient_in_double(const Args& a, index_t row) noexcept {
  const index_t n = a.channels;
  const T *const x = a.x + row * n, *const dy = a.dy + row * n;
  const auto inverse = static_cast<double>(a.inverse[row]);
  double mean = 0;
  if constexpr (subtracts_mean<Args>) mean = static_cast<double>(a.mean[row]);
  const auto g = [&](index_t j) { return static_cast<double>(dy[j]) * static_cast<double>(a.gamma[j]); };
  const auto d = [&](index_t j) { return (static_cast<double>(x[j]) - mean) * inverse; };
  double sum = 0, products = 0;
  for (index_t j = 0; j < n; ++j) {
    if constexpr (subtracts_mean<Args>) sum += g(j);
    products += g(j) * d(j);
  }
  const double share = 1 / static_cast<double>(n);
  for (index_t j = 0; j < n; ++j)
    a.dx[row * n + j] = static_cast<T>(inverse * (g(j) - sum * share - d(j) * products * share));
}
}  // namespace detail

/// Computes the backward pass of rows from `row` on: adds to dgamma and dbeta and, if dx is requested, sets
/// dx ← inverse·g − offset − (x − mean)·slope with g = dy·gamma. An op without mean has neither dbeta nor an offset.
template <int Rows, class T, class Args>
void norm_gradient_rows(const Args& a, index_t row, T* dgamma, T* dbeta) noexcept {
  using batch = simd::batch<T>;
  constexpr bool centred = detail::subtracts_mean<Args>;
  const index_t n = a.channels;
  const T *const x = a.x + row * n, *const dy = a.dy + row * n, *const inverse = a.inverse + row, *mean = nullptr;
  if constexpr (centred) mean = a.mean + row;
  const auto deviation = [&](int r, index_t j, auto some) RIDGEPOINT_INLINE_LAMBDA -> batch {
    const batch value = some.load(x + r * n + j);
    if constexpr (centred) return value - batch(mean[r]);
    else return value;
  };
  const auto add_to_weights = [&](index_t j, auto some, const auto& use) RIDGEPOINT_INLINE_LAMBDA {
    batch sum(T(0)), product = some.load(dgamma + j);
    if constexpr (centred) sum = some.load(dbeta + j);
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const batch u = some.load(dy + r * n + j), d = deviation(r, j, some);
      if constexpr (centred) sum = sum + u;
      product = simd::fma(u, d * batch(inverse[r]), product);
      use(r, u, d);
    }
    if constexpr (centred) some.store(dbeta + j, sum);
    some.store(dgamma + j, product);
  };
  if (a.dx == nullptr) {
    detail::for_columns<T>(n, [&](index_t j, auto some) RIDGEPOINT_INLINE_LAMBDA {
      add_to_weights(j, some, [](int, batch, batch) RIDGEPOINT_INLINE_LAMBDA {});
    });
    return;
  }
  constexpr int products = centred ? Rows : 0;  // Σ g of each row is first, if it is computed; then Σ g·(x − mean)
  double both[products + Rows];
  detail::sum_columns<Rows, T>(n, both, [&](index_t j, auto some, auto& sums) RIDGEPOINT_INLINE_LAMBDA {
    const batch gamma = some.load(a.gamma + j);
    add_to_weights(j, some, [&](int r, batch u, batch d) RIDGEPOINT_INLINE_LAMBDA {
      const batch g = u * gamma;
      if constexpr (centred) sums[r] = sums[r] + g;
      sums[products + r] = simd::fma(g, d, sums[products + r]);
    });
  });
  T offset[Rows], slope[Rows];
  for (int r = 0; r < Rows; ++r) {
    const double over = static_cast<double>(inverse[r]), share = over / static_cast<double>(n);
    offset[r] = centred ? static_cast<T>(-both[r] * share) : T(0);
    slope[r] = static_cast<T>(-both[products + r] * share * over * over);
  }
  if constexpr (sizeof(T) < sizeof(double)) {
    if (static_cast<double>(*std::min_element(inverse, inverse + Rows)) < least_inverse) [[unlikely]] {
      for (int r = 0; r < Rows; ++r) detail::row_gradient_in_double<T>(a, row + r);
      return;
    }
  }
  T* const dx = a.dx + row * n;
  detail::for_columns<T>(n, [&](index_t j, auto some) RIDGEPOINT_INLINE_LAMBDA {
    const batch gamma = some.load(a.gamma + j);
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const batch d = deviation(r, j, some), g = some.load(dy + r * n + j) * gamma;
      some.store(dx + r * n + j, simd::fma(d, batch(slope[r]), simd::fma(g, batch(inverse[r]), batch(offset[r]))));
    }
  });
}

namespace detail {
/// Calls take(Rows, row) for rows [begin, end): up to `most` rows together, then half as many, down to one.
template <int Rows = rows_together, class Take>
void for_row_groups(index_t begin, index_t end, index_t most, const Take& take) noexcept {
  index_t row = begin;
  if (Rows == 1 || Rows <= most)
    for (; row + Rows <= end; row += Rows) take(std::integral_constant<int, Rows>{}, row);
  if constexpr (Rows > 1) for_row_groups<Rows / 2>(row, end, most, take);
}
/// Computes rows [begin, end) of a forward pass.
template <class T, class Args>
void normalise_rows(const Args& a, index_t begin, index_t end) noexcept {
  for_row_groups(begin, end, rows_at_once<T>(a.channels),
                 [&](auto together, index_t row) { norm_rows<together>(a, row); });
}
/// Computes dx of rows [begin, end), and of[column] ← their contributions to dgamma and dbeta.
template <class T, class Args>
void differentiate_rows(const Args& a, index_t begin, index_t end, const column_sums<T>& work,
                        weight_sums* of) noexcept {
  const index_t n = a.channels;
  std::fill_n(of, n, weight_sums{});
  for (index_t first = begin; first < end; first += summed_rows<T>) {
    std::fill_n(work.sums, n, T(0));
    std::fill_n(work.products, n, T(0));
    for_row_groups(first, (std::min)(end, first + summed_rows<T>), rows_at_once<T>(n),
                   [&](auto together, index_t row) { norm_gradient_rows<together>(a, row, work.products, work.sums); });
    for (index_t j = 0; j < n; ++j)
      of[j].add({static_cast<double>(work.sums[j]), static_cast<double>(work.products[j])});
  }
}
}  // namespace detail

template <class T>
void layer_norm_chunk<T>::run(const layer_norm_args<T>& a, index_t begin, index_t end) noexcept {
  detail::normalise_rows<T>(a, begin, end);
}
template <class T>
void layer_norm_backward_chunk<T>::run(const layer_norm_backward_args<T>& a, index_t begin, index_t end,
                                       const column_sums<T>& work, weight_sums* of) noexcept {
  detail::differentiate_rows(a, begin, end, work, of);
}
template <class T>
void rms_norm_chunk<T>::run(const rms_norm_args<T>& a, index_t begin, index_t end) noexcept {
  detail::normalise_rows<T>(a, begin, end);
}
template <class T>
void rms_norm_backward_chunk<T>::run(const rms_norm_backward_args<T>& a, index_t begin, index_t end,
                                     const column_sums<T>& work, weight_sums* of) noexcept {
  detail::differentiate_rows(a, begin, end, work, of);
}

#pragma GCC diagnostic pop

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
