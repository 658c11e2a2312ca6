// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/map/map.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {
template <class T>
struct same_value {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {x}; }
};
template <class T>
struct no_value {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()() const noexcept { return {batch(T(0))}; }
};
}  // namespace detail

/// dst(j) ← src(j). Rows of channels are short, a few registers, for which memcpy() would be a function call.
template <class T>
RIDGEPOINT_INLINE void copy(const T* src, T* dst, index_t size) noexcept {
  map<T, 1, 1>({src}, {dst}, size, detail::same_value<T>{});
}
/// dst(j) ← 0.
template <class T>
RIDGEPOINT_INLINE void clear(T* dst, index_t size) noexcept {
  map<T, 0, 1>({}, {dst}, size, detail::no_value<T>{});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
