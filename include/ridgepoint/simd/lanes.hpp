// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

namespace detail {
template <class T>
inline constexpr std::array<T, 16> lane_number{T(0), T(1), T(2),  T(3),  T(4),  T(5),  T(6),  T(7),
                                               T(8), T(9), T(10), T(11), T(12), T(13), T(14), T(15)};
}  // namespace detail

/// Returns the first n lanes of x, and `other` in the rest.
template <class T>
RIDGEPOINT_INLINE batch<T> first(batch<T> x, index_t n, batch<T> other) noexcept {
  return simd::select(load(detail::lane_number<T>.data()) < batch<T>(static_cast<T>(n)), x, other);
}

/// Returns the largest lane of x; a NaN may be ignored.
template <class T>
RIDGEPOINT_INLINE T largest(batch<T> x) noexcept {
  std::array<T, static_cast<std::size_t>(lanes<T>)> lane;
  store(lane.data(), x);
  T result = lane[0];
  for (const T value : lane) result = value > result ? value : result;
  return result;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
