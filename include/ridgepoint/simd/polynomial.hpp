// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

namespace detail {
template <class T>
RIDGEPOINT_INLINE batch<T> horner(batch<T>, batch<T> sum) noexcept {
  return sum;
}
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> horner(batch<T> x, batch<T> sum, double next, Rest... rest) noexcept {
  return horner<T>(x, simd::fma(sum, x, batch<T>(static_cast<T>(next))), rest...);
}
template <class T>
RIDGEPOINT_INLINE batch<T> by_pairs(batch<T>, batch<T>, batch<T> sum) noexcept {
  return sum;
}
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> by_pairs(batch<T> x, batch<T> xx, batch<T> sum, double c0, double c1,
                                    Rest... rest) noexcept {
  const batch<T> pair = simd::fma(batch<T>(static_cast<T>(c0)), x, batch<T>(static_cast<T>(c1)));
  return by_pairs<T>(x, xx, simd::fma(sum, xx, pair), rest...);
}
}  // namespace detail

/// c0·x^n + c1·x^(n−1) + … + cn by Horner's rule, highest power first.
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> polynomial(batch<T> x, double c0, Rest... rest) noexcept {
  return detail::horner<T>(x, batch<T>(static_cast<T>(c0)), rest...);
}

/// Evaluates with a given x², two coefficients a step (Estrin's scheme): as many operations, half as many in sequence.
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> polynomial_by_pairs(batch<T> x, batch<T> xx, double c0, double c1, Rest... rest) noexcept {
  return detail::by_pairs<T>(x, xx, polynomial(x, c0, c1), rest...);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
