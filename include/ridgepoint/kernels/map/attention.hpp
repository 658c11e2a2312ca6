// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/map/softmax.hpp>

/// \file
/// What attention does with a tile of scores between its products.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// A tile of scores: rows of queries `ld` apart, of which row i sees the first seen + i·step columns, 0 to `columns`.
template <class T>
struct score_tile {
  T* scores;
  index_t rows, columns, ld;
  index_t seen, step;  // step: 0, or 1 below a diagonal

  [[nodiscard]] constexpr index_t seen_by(index_t i) const noexcept {
    const index_t some = seen + i * step;
    return some < 0 ? 0 : some < columns ? some : columns;
  }
};

/// scores(i, ·) ← e^(scores(i, ·) − max(i)), 0 where a row does not see; the sums of rows grow by theirs. Where a
/// row's largest score so far changes, its sum and what was summed with the weights before (`width` values of each row)
/// are brought to the new one.
template <class T>
RIDGEPOINT_NOINLINE void soften_tile(const score_tile<T>& t, T* max, double* sums, T* y, index_t y_ld,
                                     index_t width) noexcept {
  for (index_t i = 0; i < t.rows; ++i) {
    T* const row = t.scores + i * t.ld;
    const index_t seen = t.seen_by(i);
    const T before = max[i], largest = row_max(row, seen);
    if (largest > before) {
      max[i] = largest;
      if (before > -std::numeric_limits<T>::infinity()) {
        const T factor = std::exp(before - largest);
        sums[i] *= static_cast<double>(factor);
        scale_row(factor, y + i * y_ld, width);
      }
    }
    sums[i] += exp_row(row, max[i], row, seen);
    std::fill_n(row + seen, t.columns - seen, T(0));
  }
}

/// p ← e^(s − log_sum), ds ← p·(dp − d).
template <class T>
struct attention_gradient {
  using batch = simd::batch<T>;
  T log_sum, d;
  RIDGEPOINT_INLINE std::array<batch, 2> operator()(batch s, batch dp) const noexcept {
    const batch p = simd::exp(s - batch(log_sum));
    return {p, p * (dp - batch(d))};
  }
};

/// Scores become weights, and the gradients dp of weights those of scores, row by row; 0 where a row does not see.
template <class T>
RIDGEPOINT_NOINLINE void differentiate_tile(const score_tile<T>& t, T* dp, const T* log_sums, const T* d) noexcept {
  for (index_t i = 0; i < t.rows; ++i) {
    T *const row = t.scores + i * t.ld, *const gradient = dp + i * t.ld;
    const index_t seen = t.seen_by(i);
    map<T, 2, 2>({row, gradient}, {row, gradient}, seen, attention_gradient<T>{log_sums[i], d[i]});
    std::fill_n(row + seen, t.columns - seen, T(0));
    std::fill_n(gradient + seen, t.columns - seen, T(0));
  }
}

template <class T>
struct product_summand {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x, batch y) const noexcept { return {x * y}; }
};
/// Σ x·y.
template <class T>
RIDGEPOINT_INLINE T dot_rows(const T* x, const T* y, index_t n) noexcept {
  return static_cast<T>(map<T, 2, 0>({x, y}, {}, n, product_summand<T>{})[0]);
}

/// y(i, ·) ← factor·x(i, ·).
template <class T>
RIDGEPOINT_INLINE void scale_rows(T factor, matrix_view<const T> x, T* y, index_t y_ld) noexcept {
  for (index_t i = 0; i < x.rows; ++i) map<T, 1, 1>({&x(i, 0)}, {y + i * y_ld}, x.cols, scaled<T>{factor});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
