// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

namespace detail {
template <class T>
RIDGEPOINT_INLINE batch<T> horner(batch<T>, batch<T> sum) noexcept { return sum; }
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> horner(batch<T> x, batch<T> sum, double next, Rest... rest) noexcept {
  return horner<T>(x, simd::fma(sum, x, batch<T>(static_cast<T>(next))), rest...);
}
}  // namespace detail

/// c0·x^n + c1·x^(n−1) + … + cn by Horner's rule, highest power first.
template <class T, class... Rest>
RIDGEPOINT_INLINE batch<T> polynomial(batch<T> x, double c0, Rest... rest) noexcept {
  return detail::horner<T>(x, batch<T>(static_cast<T>(c0)), rest...);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
