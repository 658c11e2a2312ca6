// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/map/convert.hpp>
#include <ridgepoint/kernels/map/loss_kernels.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/simd/math.hpp>

/// \file
/// Losses: element-wise ones on a register, for map(), with Gradient first dy, then the summands; softmax by rows.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Summand (y − t)²; dy = scale·(y − t).
template <class T, bool Gradient>
struct squared_error {
  using batch = simd::batch<T>;
  T scale;
  RIDGEPOINT_INLINE auto operator()(batch y, batch t) const noexcept {
    const batch error = y - t, square = error * error;
    if constexpr (Gradient) return std::array<batch, 2>{batch(scale) * error, square};
    else return std::array<batch, 1>{square};
  }
};

/// Summands max(y, 0) − y·t + ln(1 + e^−|y|) and [(y > 0) = (t > 0.5)]; dy = scale·(σ(y) − t).
template <class T, bool Gradient>
struct logit_cross_entropy {
  using batch = simd::batch<T>;
  static constexpr bool is_long = true;
  T scale;
  RIDGEPOINT_INLINE auto operator()(batch y, batch t) const noexcept {
    const batch zero(T(0)), one(T(1)), half(T(0.5));
    const batch loss = (simd::max)(y, zero) - y * t + simd::log1p(simd::exp(-simd::abs(y)));
    const batch correct = simd::select(y > zero, simd::select(t > half, one, zero), simd::select(t > half, zero, one));
    if constexpr (Gradient) return std::array<batch, 3>{batch(scale) * (simd::sigmoid(y) - t), loss, correct};
    else return std::array<batch, 2>{loss, correct};
  }
};

/// Σ (y − t)² of n elements and, unless dy is null, dy; dy may be y or t. Errors whose squares overflow T are squared
/// in double.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 1> squared_error_sum(const T* y, const T* t, T* dy, index_t n,
                                                                          T scale) noexcept {
  const double sum = dy == nullptr ? map<T, 2, 0>({y, t}, {}, n, squared_error<T, false>{scale})[0]
                                   : map<T, 2, 1>({y, t}, {dy}, n, squared_error<T, true>{scale})[0];
  if (sizeof(T) == sizeof(double) || sum < std::numeric_limits<double>::infinity()) return {sum};
  const bool replaced = dy == y || dy == t;  // then the error is derived from dy
  return {sum_in_double(n, [&](index_t i) {
    const double error = replaced ? static_cast<double>(dy[i]) / static_cast<double>(scale)
                                  : static_cast<double>(y[i]) - static_cast<double>(t[i]);
    return error * error;
  })};
}
/// Σ of the cross-entropies of n logits, the number of correct ones, and, unless dy is null, dy; dy may be y or t.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 2> logit_cross_entropy_sum(const T* y, const T* t, T* dy,
                                                                                index_t n, T scale) noexcept {
  if (dy == nullptr) return map<T, 2, 0>({y, t}, {}, n, logit_cross_entropy<T, false>{scale});
  return map<T, 2, 1>({y, t}, {dy}, n, logit_cross_entropy<T, true>{scale});
}

namespace detail {
/// sums(y, target, dy, n) of elements [begin, end), in float if they are bfloat16.
template <std::size_t N, class T, class Sums>
RIDGEPOINT_INLINE std::array<double, N> sum_chunk(const T* y, const T* target, T* dy, index_t begin, index_t end,
                                                  const Sums& sums) noexcept {
  if constexpr (std::same_as<T, bfloat16>) {
    std::array<double, N> total{};
    for_stretches<2>({target, y}, dy, begin, end, [&](auto& x, index_t n) {
      const std::array<double, N> some = sums(x[1], x[0], dy == nullptr ? nullptr : x[1], n);
      for (std::size_t s = 0; s < N; ++s) total[s] += some[s];
    });
    return total;
  } else {
    return sums(y + begin, target + begin, dy == nullptr ? nullptr : dy + begin, end - begin);
  }
}
}  // namespace detail

template <class T>
std::array<double, 1> mse_chunk<T>::run(const mse_args<T>& a, index_t begin, index_t end) noexcept {
  const auto scale = static_cast<compute_t<T>>(2 * a.weight / static_cast<double>(a.size));
  return detail::sum_chunk<1>(a.y, a.target, a.dy, begin, end, [&](auto* y, auto* target, auto* dy, index_t n) {
    return squared_error_sum(y, target, dy, n, scale);
  });
}
template <class T>
std::array<double, 2> binary_cross_entropy_chunk<T>::run(const binary_cross_entropy_args<T>& a, index_t begin,
                                                         index_t end) noexcept {
  const auto scale = static_cast<compute_t<T>>(a.weight / static_cast<double>(a.size));
  return detail::sum_chunk<2>(a.y, a.target, a.dy, begin, end, [&](auto* y, auto* target, auto* dy, index_t n) {
    return logit_cross_entropy_sum(y, target, dy, n, scale);
  });
}

// Detection losses on a register, for map(): with Gradient first dy, then the summands.

/// Weights of logits whose class is present, of other logits, and of all gradients.
template <class T>
struct focal_options {
  T there, absent, scale;
};

/// Summands a·r²·l and [(y > 0) = (t > 0.5)], with z = ±y, r = σ(−z), l = max(−z, 0) + ln(1 + e^−|z|);
/// dy = ∓scale·a·r²·(2·(1 − r)·l + r).
template <class T, bool Gradient>
struct focal_loss {
  using batch = simd::batch<T>;
  static constexpr bool is_long = true;
  focal_options<T> options;
  RIDGEPOINT_INLINE auto operator()(batch y, batch t) const noexcept {
    const batch zero(T(0)), one(T(1)), half(T(0.5));
    const auto there = t > half;
    const batch z = simd::select(there, y, -y), a = simd::select(there, batch(options.there), batch(options.absent));
    const batch r = simd::sigmoid(-z), weighted = a * (r * r);
    const batch l = (simd::max)(-z, zero) + simd::log1p(simd::exp(-simd::abs(z)));
    const batch correct = simd::select(y > zero, simd::select(there, one, zero), simd::select(there, zero, one));
    if constexpr (Gradient) {
      const batch slope = batch(options.scale) * weighted * simd::fma(batch(T(2)) * (one - r), l, r);
      return std::array<batch, 3>{simd::select(there, -slope, slope), weighted * l, correct};
    } else {
      return std::array<batch, 2>{weighted * l, correct};
    }
  }
};

/// Summand h(e) of e = y − t: e²/2 up to |e| = delta, delta·(|e| − delta/2) beyond, 0 where t is NaN; dy = scale·h'(e).
template <class T, bool Gradient>
struct huber_loss {
  using batch = simd::batch<T>;
  T delta, scale;
  RIDGEPOINT_INLINE auto operator()(batch y, batch t) const noexcept {
    const batch zero(T(0)), limit(delta), half(T(0.5));
    const batch e = y - simd::select(t == t, t, y), size = simd::abs(e);
    const auto beyond = size > limit;
    const batch loss = simd::select(beyond, limit * (size - half * limit), half * e * e);
    if constexpr (Gradient) {
      const batch slope = simd::select(beyond, simd::select(e < zero, -limit, limit), e);
      return std::array<batch, 2>{batch(scale) * slope, loss};
    } else {
      return std::array<batch, 1>{loss};
    }
  }
};

/// Σ of the focal losses of n logits, the number of correct ones, and, unless dy is null, dy; dy may be y or t.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 2> focal_sum(const T* y, const T* t, T* dy, index_t n,
                                                                  const focal_options<T>& options) noexcept {
  if (dy == nullptr) return map<T, 2, 0>({y, t}, {}, n, focal_loss<T, false>{options});
  return map<T, 2, 1>({y, t}, {dy}, n, focal_loss<T, true>{options});
}
/// Σ of the huber losses of n elements and, unless dy is null, dy; dy may be y or t.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 1> huber_sum(const T* y, const T* t, T* dy, index_t n, T delta,
                                                                  T scale) noexcept {
  if (dy == nullptr) return map<T, 2, 0>({y, t}, {}, n, huber_loss<T, false>{delta, scale});
  return map<T, 2, 1>({y, t}, {dy}, n, huber_loss<T, true>{delta, scale});
}

template <class T>
std::array<double, 2> focal_chunk<T>::run(const T* y, const T* target, T* dy, index_t n, T alpha, T rest,
                                          T scale) noexcept {
  return focal_sum(y, target, dy, n, focal_options<T>{alpha, rest, scale});
}
template <class T>
std::array<double, 1> huber_chunk<T>::run(const T* y, const T* target, T* dy, index_t n, T delta, T slope) noexcept {
  return huber_sum(y, target, dy, n, delta, slope);
}

/// Returns the largest of n values, ignoring NaN; −∞ if all are NaN or n is 0.
template <class T>
RIDGEPOINT_INLINE T row_max(const T* x, index_t n) noexcept {
  using batch = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  const batch lowest(-std::numeric_limits<T>::infinity());
  batch even = lowest, odd = lowest;  // two chains: max has a latency of four cycles
  index_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    even = (simd::max)(even, simd::load(x + j));
    odd = (simd::max)(odd, simd::load(x + j + lanes));
  }
  for (; j < n; j += lanes) {
    const index_t left = n - j < lanes ? n - j : lanes;
    even = (simd::max)(even, simd::first(simd::load_partial(x + j, left), left, lowest));
  }
  return simd::largest((simd::max)(even, odd));
}

/// e^(x − max), as an output if Outputs is 1, and as a summand.
template <class T, std::size_t Outputs>
struct shifted_exp {
  using batch = simd::batch<T>;
  T max;
  RIDGEPOINT_INLINE std::array<batch, Outputs + 1> operator()(batch x) const noexcept {
    std::array<batch, Outputs + 1> result;
    result.fill(simd::exp(x - batch(max)));
    return result;
  }
};

template <class T>
struct scaled {
  using batch = simd::batch<T>;
  T factor;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {batch(factor) * x}; }
};

/// y(j) ← e^(x(j) − max); returns Σ_j y(j). y may be x, or null if only the sum is needed.
template <class T>
RIDGEPOINT_INLINE double exp_row(const T* x, T max, T* y, index_t n) noexcept {
  if (y == nullptr) return map<T, 1, 0>({x}, {}, n, shifted_exp<T, 0>{max})[0];
  return map<T, 1, 1>({x}, {y}, n, shifted_exp<T, 1>{max})[0];
}

/// y(j) ← factor·y(j).
template <class T>
RIDGEPOINT_INLINE void scale_row(T factor, T* y, index_t n) noexcept {
  map<T, 1, 1>({y}, {y}, n, scaled<T>{factor});
}

/// Computes one row of softmax.
template <class T>
void softmax_row(const T* x, T* y, index_t n) noexcept {
  const double sum = exp_row(x, row_max(x, n), y, n);
  scale_row(static_cast<T>(1 / sum), y, n);
}

/// Rows with few columns, one row per lane: all lanes are used, and nothing is added across lanes.
template <class T>
class narrow_rows {
  using batch = simd::batch<T>;

 public:
  static constexpr index_t count = simd::lanes<T>, columns_most = 16;
  std::array<T, static_cast<std::size_t>(count)> max, sum;  // of x, and of e^(x − max), by row

  /// e^(x − max) of `count` rows of n columns. Requires: 1 ≤ n ≤ columns_most.
  narrow_rows(const T* x, index_t x_row, index_t n) noexcept : n_(n) {
    for (index_t row = 0; row < count; ++row)
      for (index_t j = 0; j < n; ++j) columns_[static_cast<std::size_t>(j * count + row)] = x[row * x_row + j];
    batch largest(-std::numeric_limits<T>::infinity()), total(T(0));
    for (index_t j = 0; j < n; ++j) largest = (simd::max)(largest, column(j));  // ignores NaN, like row_max()
    for (index_t j = 0; j < n; ++j) {
      const batch e = simd::exp(column(j) - largest);
      simd::store(&columns_[static_cast<std::size_t>(j * count)], e);
      total = total + e;
    }
    simd::store(max.data(), largest);
    simd::store(sum.data(), total);
  }
  /// y ← weight·e^(x − max) / sum.
  void normalise(T weight, T* y, index_t y_row) noexcept {
    const batch factor = batch(weight) / simd::load(sum.data());
    for (index_t j = 0; j < n_; ++j) simd::store(&columns_[static_cast<std::size_t>(j * count)], factor * column(j));
    for (index_t row = 0; row < count; ++row)
      for (index_t j = 0; j < n_; ++j) y[row * y_row + j] = columns_[static_cast<std::size_t>(j * count + row)];
  }

 private:
  [[nodiscard]] batch column(index_t j) const noexcept {
    return simd::load(&columns_[static_cast<std::size_t>(j * count)]);
  }
  index_t n_;
  std::array<T, static_cast<std::size_t>(columns_most* count)> columns_;
};

/// Computes softmax of the rows first, first + 1, … of x before `end`.
template <class T>
void softmax_rows(const matrix_view<const T>& x, const matrix_view<T>& y, index_t first, index_t end) noexcept {
  index_t i = first;
  if (x.cols <= narrow_rows<T>::columns_most)
    for (; i + narrow_rows<T>::count <= end; i += narrow_rows<T>::count)
      narrow_rows<T>(&x(i, 0), x.row_stride, x.cols).normalise(T(1), &y(i, 0), y.row_stride);
  for (; i < end; ++i) softmax_row(&x(i, 0), &y(i, 0), x.cols);
}

/// Labels of softmax_cross_entropy(); one label value may mark ignored rows.
struct row_labels {
  const std::int32_t* labels;
  std::int32_t ignored;
  bool skips;  // whether rows with that label are ignored
  [[nodiscard]] std::int32_t operator[](index_t i) const noexcept { return labels[i]; }
  [[nodiscard]] bool counts(index_t i) const noexcept { return !skips || labels[i] != ignored; }
};
/// Label of a row in softmax_cross_entropy().
struct row_label {
  double logit;  // NaN for a label out of range
  bool correct;  // the first largest logit is the label's
};
template <class T>
[[nodiscard]] row_label look_up(const T* x, index_t n, index_t label, T max) noexcept {
  if (label < 0 || label >= n) return {.logit = std::numeric_limits<double>::quiet_NaN(), .correct = false};
  bool correct = exactly(x[label], max);
  for (index_t j = 0; correct && j < label; ++j) correct = !exactly(x[j], max);
  return {.logit = static_cast<double>(x[label]), .correct = correct};
}

/// dlogits(label) ← dlogits(label) − weight; a label out of range makes the row NaN.
template <class T>
void subtract_label(T* dlogits, index_t n, index_t label, T weight) noexcept {
  if (label >= 0 && label < n) dlogits[label] -= weight;
  else std::fill_n(dlogits, n, std::numeric_limits<T>::quiet_NaN());
}

/// Returns the sum of the losses of rows first, first + 1, … before `end`, and the number of correct ones; sets
/// dlogits, if not null, to (softmax(logits) − onehot(label))·weight, 0 in ignored rows.
template <class T>
[[nodiscard]] std::array<double, 2> softmax_cross_entropy_rows(const matrix_view<const T>& logits,
                                                               const row_labels& labels, T weight,
                                                               const matrix_view<T>& dlogits, index_t first,
                                                               index_t end) noexcept {
  const index_t n = logits.cols;
  std::array<double, 2> sums{};
  const auto gradient = [&](index_t i) { return dlogits.data == nullptr ? nullptr : &dlogits(i, 0); };
  const auto label_of = [&](index_t i, T max) { return look_up(&logits(i, 0), n, labels[i], max); };
  const auto finish = [&](index_t i, const row_label& label, T max, double sum) {
    if (!labels.counts(i)) {
      if (dlogits.data != nullptr) std::fill_n(gradient(i), n, T(0));
      return;
    }
    sums[0] += std::log(sum) + (static_cast<double>(max) - label.logit);
    sums[1] += label.correct ? 1 : 0;
    if (dlogits.data != nullptr) subtract_label(gradient(i), n, labels[i], weight);
  };
  index_t i = first;
  if (n <= narrow_rows<T>::columns_most)
    for (; i + narrow_rows<T>::count <= end; i += narrow_rows<T>::count) {
      narrow_rows<T> rows(&logits(i, 0), logits.row_stride, n);
      std::array<row_label, static_cast<std::size_t>(narrow_rows<T>::count)> found;
      for (std::size_t row = 0; row < found.size(); ++row)  // before dlogits, which may be logits, is written
        found[row] = label_of(i + static_cast<index_t>(row), rows.max[row]);
      if (dlogits.data != nullptr) rows.normalise(weight, gradient(i), dlogits.row_stride);
      for (std::size_t row = 0; row < found.size(); ++row)
        finish(i + static_cast<index_t>(row), found[row], rows.max[row], static_cast<double>(rows.sum[row]));
    }
  for (; i < end; ++i) {
    const T max = row_max(&logits(i, 0), n);
    const row_label found = label_of(i, max);
    const double sum = exp_row(&logits(i, 0), max, gradient(i), n);
    if (dlogits.data != nullptr) scale_row(static_cast<T>(static_cast<double>(weight) / sum), gradient(i), n);
    finish(i, found, max, sum);
  }
  return sums;
}

template <class T>
void softmax_chunk<T>::run(const softmax_args<T>& s, index_t begin, index_t end,
                           [[maybe_unused]] float* memory) noexcept {
  if constexpr (std::same_as<T, bfloat16>) {
    const matrix_view<float> rows = rows_as_floats(s.x, begin, end, memory);
    softmax_rows<float>(rows, rows, 0, rows.rows);
    store_rows(rows, s.y, begin);
  } else {
    softmax_rows<T>(s.x, s.y, begin, end);
  }
}
template <class T>
std::array<double, 2> softmax_cross_entropy_chunk<T>::run(const softmax_cross_entropy_args<T>& s, compute_t<T> weight,
                                                          index_t begin, index_t end,
                                                          [[maybe_unused]] float* memory) noexcept {
  const bool skips = s.ignored != no_label;
  if constexpr (std::same_as<T, bfloat16>) {
    const matrix_view<float> part = rows_as_floats(s.logits, begin, end, memory);
    const bool gradient = s.dlogits.data != nullptr;
    const auto sums = softmax_cross_entropy_rows<float>(part, {s.labels + begin, s.ignored, skips}, weight,
                                                        gradient ? part : matrix_view<float>(), 0, part.rows);
    if (gradient) store_rows(part, s.dlogits, begin);
    return sums;
  } else {
    return softmax_cross_entropy_rows<T>(s.logits, {s.labels, s.ignored, skips}, weight, s.dlogits, begin, end);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
