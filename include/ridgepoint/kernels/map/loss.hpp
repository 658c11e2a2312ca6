// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <limits>

#include <ridgepoint/kernels/map/in_floats.hpp>
#include <ridgepoint/kernels/map/loss_kernels.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/simd/math.hpp>

/// \file
/// Element-wise losses on a register, for map(): with Gradient first dy, then the summands.
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
  T scale;
  RIDGEPOINT_INLINE auto operator()(batch y, batch t) const noexcept {
    const batch zero(T(0)), one(T(1)), half(T(0.5));
    const batch loss = (simd::max)(y, zero) - y * t + simd::log1p(simd::exp(-simd::abs(y)));
    const batch correct = simd::select(y > zero, simd::select(t > half, one, zero), simd::select(t > half, zero, one));
    if constexpr (Gradient) return std::array<batch, 3>{batch(scale) * (simd::sigmoid(y) - t), loss, correct};
    else return std::array<batch, 2>{loss, correct};
  }
};

/// Σ (y − t)² of n elements and, unless dy is null, dy; dy may be y or t. Errors whose squares T does not hold are
/// squared in double.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 1> squared_error_sum(const T* y, const T* t, T* dy, index_t n,
                                                                          T scale) noexcept {
  const double sum = dy == nullptr ? map<T, 2, 0>({y, t}, {}, n, squared_error<T, false>{scale})[0]
                                   : map<T, 2, 1>({y, t}, {dy}, n, squared_error<T, true>{scale})[0];
  if (sizeof(T) == sizeof(double) || sum < std::numeric_limits<double>::infinity()) return {sum};
  const bool replaced = dy == y || dy == t;  // then dy is what tells the error
  return {sum_in_double(n, [&](index_t i) {
    const double error = replaced ? static_cast<double>(dy[i]) / static_cast<double>(scale)
                                  : static_cast<double>(y[i]) - static_cast<double>(t[i]);
    return error * error;
  })};
}
/// The same of logit_cross_entropy: Σ of the losses, and how many are correct.
template <class T>
[[nodiscard]] RIDGEPOINT_NOINLINE std::array<double, 2> logit_cross_entropy_sum(const T* y, const T* t, T* dy,
                                                                                index_t n, T scale) noexcept {
  if (dy == nullptr) return map<T, 2, 0>({y, t}, {}, n, logit_cross_entropy<T, false>{scale});
  return map<T, 2, 1>({y, t}, {dy}, n, logit_cross_entropy<T, true>{scale});
}

namespace detail {
/// sums(y, target, dy, n) of elements [begin, end), in float where they are bfloat16.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
