// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/simd/math.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Largest of n values, NaN passed over; −∞ if there is none.
template <class T>
RIDGEPOINT_INLINE T row_max(const T* x, index_t n) noexcept {
  using batch = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  const batch lowest(-std::numeric_limits<T>::infinity());
  batch even = lowest, odd = lowest;                           // two chains: max has a latency of four cycles
  index_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    even = simd::max(even, simd::load(x + j));
    odd = simd::max(odd, simd::load(x + j + lanes));
  }
  for (; j < n; j += lanes) {
    const index_t left = n - j < lanes ? n - j : lanes;
    even = simd::max(even, simd::first(simd::load_partial(x + j, left), left, lowest));
  }
  return simd::largest(simd::max(even, odd));
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

/// y(j) ← e^(x(j) − max); returns Σ_j y(j). y may be x, or null where only the sum is wanted.
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

/// One row of softmax.
template <class T>
void softmax_row(const T* x, T* y, index_t n) noexcept {
  const double sum = exp_row(x, row_max(x, n), y, n);
  scale_row(static_cast<T>(1 / sum), y, n);
}

/// One row of softmax_cross_entropy().
struct row_loss {
  double loss;
  bool correct;
};

/// The loss of a row with its label; dlogits, if not null, ← (p(j) − [j = label])·weight. A label out of range gives
/// NaN.
template <class T>
row_loss softmax_cross_entropy_row(const T* x, index_t n, index_t label, double weight, T* dlogits) noexcept {
  const bool known = label >= 0 && label < n;
  const T max = row_max(x, n), at_label = known ? x[label] : std::numeric_limits<T>::quiet_NaN();
  bool correct = at_label == max;
  for (index_t j = 0; correct && j < label; ++j) correct = !(x[j] == max);      // the first largest counts
  const double sum = exp_row(x, max, dlogits, n);
  if (dlogits != nullptr) {
    scale_row(static_cast<T>(known ? weight / sum : std::numeric_limits<double>::quiet_NaN()), dlogits, n);
    if (known) dlogits[label] -= static_cast<T>(weight);
  }
  return {.loss = std::log(sum) + (static_cast<double>(max) - static_cast<double>(at_label)), .correct = correct};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
