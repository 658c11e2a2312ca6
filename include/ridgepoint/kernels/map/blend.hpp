// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/map/copy.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// a·first + b·second.
template <class T>
struct blended {
  using batch = simd::batch<T>;
  T a, b;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch first, batch second) const noexcept {
    return {simd::fma(batch(b), second, batch(a) * first)};
  }
};
/// sum + weight·x.
template <class T>
struct weighted_sum {
  using batch = simd::batch<T>;
  T weight;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch sum, batch x) const noexcept {
    return {simd::fma(batch(weight), x, sum)};
  }
};

/// dst(j) ← a·first(j) + b·second(j).
template <class T>
RIDGEPOINT_INLINE void blend(T a, const T* first, T b, const T* second, T* dst, index_t size) noexcept {
  map<T, 2, 1>({first, second}, {dst}, size, blended<T>{a, b});
}
/// sum(j) ← sum(j) + weight·x(j).
template <class T>
RIDGEPOINT_INLINE void add_weighted(T weight, const T* x, T* sum, index_t size) noexcept {
  map<T, 2, 1>({sum, x}, {sum}, size, weighted_sum<T>{weight});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
