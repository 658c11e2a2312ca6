// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/kernels/map/columns.hpp>
#include <ridgepoint/kernels/map/moments.hpp>
#include <ridgepoint/kernels/map/row_norm_kernels.hpp>
#include <ridgepoint/ops/layer_norm.hpp>
#include <ridgepoint/simd/lanes.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

/// Normalisation along dense rows, several narrow rows together: column parameters are loaded once for all of them, and
/// their sums across lanes are computed together. The first pass over a row reads it from memory; later passes find it
/// in L1.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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

/// Computes rows from `row` on of layer_norm(): y ← ((x − centre)·inverse + shift)·gamma + beta, where the centre is
/// near the mean and the shift is the remainder.
template <int Rows, class T>
void layer_norm_rows(const layer_norm_args<T>& a, index_t row) noexcept {
  using batch = simd::batch<T>;
  const index_t n = a.channels;
  const T* const x = a.x + row * n;
  T* const y = a.y + row * n;
  row_statistics<Rows> of;
  find_statistics(x, n, of);
  double over[Rows];
  if constexpr (Rows == simd::lanes<double>)
    simd::store(
        over, simd::batch<double>(1.0) / simd::sqrt(simd::load(of.variance) + simd::batch<double>(a.options.epsilon)));
  else
    for (int r = 0; r < Rows; ++r) over[r] = 1 / std::sqrt(of.variance[r] + a.options.epsilon);
  if constexpr (sizeof(T) < sizeof(double)) {
    bool overflowed = false;  // squares, or NaN
    for (int r = 0; r < Rows; ++r) overflowed |= !(over[r] > 0);
    if (overflowed) [[unlikely]]
      for (int r = 0; r < Rows; ++r) {
        if (over[r] > 0) continue;
        const moments row_moments = moments_in_double<T>(n, [&](const auto& use) {
          for (index_t j = 0; j < n; ++j) use(x[r * n + j]);
        });
        of.centre[r] = row_moments.centre, of.beyond[r] = row_moments.beyond;
        over[r] = 1 / std::sqrt(row_moments.variance() + a.options.epsilon);
      }
  }
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

namespace detail {
/// dx of one row of layer_norm_backward() in double; dx may be dy.
template <class T>
RIDGEPOINT_NOINLINE void layer_norm_row_gradient_in_double(const layer_norm_backward_args<T>& a, index_t row) noexcept {
  const index_t n = a.channels;
  const T *const x = a.x + row * n, *const dy = a.dy + row * n;
  const auto mean = static_cast<double>(a.mean[row]), inverse = static_cast<double>(a.inverse[row]);
  const auto g = [&](index_t j) { return static_cast<double>(dy[j]) * static_cast<double>(a.gamma[j]); };
  const auto d = [&](index_t j) { return (static_cast<double>(x[j]) - mean) * inverse; };
  double sum = 0, products = 0;
  for (index_t j = 0; j < n; ++j) sum += g(j), products += g(j) * d(j);
  const double share = 1 / static_cast<double>(n);
  for (index_t j = 0; j < n; ++j)
    a.dx[row * n + j] = static_cast<T>(inverse * (g(j) - sum * share - d(j) * products * share));
}
}  // namespace detail

/// Computes rows from `row` on of layer_norm_backward(): adds to dgamma and dbeta and, if dx is requested, sets
/// dx ← inverse·g − offset − (x − mean)·slope with g = dy·gamma.
template <int Rows, class T>
void layer_norm_gradient_rows(const layer_norm_backward_args<T>& a, index_t row, T* dgamma, T* dbeta) noexcept {
  using batch = simd::batch<T>;
  const index_t n = a.channels;
  const T *const x = a.x + row * n, *const dy = a.dy + row * n, *const mean = a.mean + row,
                 *const inverse = a.inverse + row;
  if (a.dx == nullptr) {
    detail::for_columns<T>(n, [&](index_t j, auto some) RIDGEPOINT_INLINE_LAMBDA {
      batch sum = some.load(dbeta + j), product = some.load(dgamma + j);
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const batch u = some.load(dy + r * n + j), d = some.load(x + r * n + j) - batch(mean[r]);
        sum = sum + u;
        product = simd::fma(u, d * batch(inverse[r]), product);
      }
      some.store(dbeta + j, sum);
      some.store(dgamma + j, product);
    });
    return;
  }
  double both[2 * Rows];  // Σ g, then Σ g·(x − mean)
  detail::sum_columns<Rows, T>(n, both, [&](index_t j, auto some, auto& sums) RIDGEPOINT_INLINE_LAMBDA {
    const batch gamma = some.load(a.gamma + j);
    batch sum = some.load(dbeta + j), product = some.load(dgamma + j);
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const batch u = some.load(dy + r * n + j), d = some.load(x + r * n + j) - batch(mean[r]), g = u * gamma;
      sum = sum + u;
      product = simd::fma(u, d * batch(inverse[r]), product);
      sums[r] = sums[r] + g;
      sums[Rows + r] = simd::fma(g, d, sums[Rows + r]);
    }
    some.store(dbeta + j, sum);
    some.store(dgamma + j, product);
  });
  T offset[Rows], slope[Rows];
  for (int r = 0; r < Rows; ++r) {
    const double over = static_cast<double>(inverse[r]), share = over / static_cast<double>(n);
    offset[r] = static_cast<T>(-both[r] * share);
    slope[r] = static_cast<T>(-both[Rows + r] * share * over * over);
  }
  if constexpr (sizeof(T) < sizeof(double)) {
    if (static_cast<double>(*std::min_element(inverse, inverse + Rows)) < least_inverse) [[unlikely]] {
      for (int r = 0; r < Rows; ++r) detail::layer_norm_row_gradient_in_double(a, row + r);
      return;
    }
  }
  T* const dx = a.dx + row * n;
  detail::for_columns<T>(n, [&](index_t j, auto some) RIDGEPOINT_INLINE_LAMBDA {
    const batch gamma = some.load(a.gamma + j);
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const batch d = some.load(x + r * n + j) - batch(mean[r]), g = some.load(dy + r * n + j) * gamma;
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
}  // namespace detail

template <class T>
void layer_norm_chunk<T>::run(const layer_norm_args<T>& a, index_t begin, index_t end) noexcept {
  detail::for_row_groups(begin, end, rows_at_once<T>(a.channels),
                         [&](auto rows, index_t row) { layer_norm_rows<rows>(a, row); });
}
template <class T>
void layer_norm_backward_chunk<T>::run(const layer_norm_backward_args<T>& a, index_t begin, index_t end,
                                       const column_sums<T>& work, weight_sums* of) noexcept {
  const index_t n = a.channels;
  std::fill_n(of, n, weight_sums{});
  for (index_t first = begin; first < end; first += summed_rows<T>) {
    std::fill_n(work.sums, n, T(0));
    std::fill_n(work.products, n, T(0));
    detail::for_row_groups(
        first, (std::min)(end, first + summed_rows<T>), rows_at_once<T>(n),
        [&](auto together, index_t row) { layer_norm_gradient_rows<together>(a, row, work.products, work.sums); });
    for (index_t j = 0; j < n; ++j)
      of[j].add({static_cast<double>(work.sums[j]), static_cast<double>(work.products[j])});
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
