// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// A register of one value, so that kernels have a scalar build with the same source.
template <class T>
struct batch {
  T value;
  batch() = default;
  RIDGEPOINT_INLINE explicit batch(T v) noexcept : value(v) {}
  friend RIDGEPOINT_INLINE batch operator+(batch x, batch y) noexcept { return batch(x.value + y.value); }
  friend RIDGEPOINT_INLINE batch operator-(batch x, batch y) noexcept { return batch(x.value - y.value); }
  friend RIDGEPOINT_INLINE batch operator*(batch x, batch y) noexcept { return batch(x.value * y.value); }
  friend RIDGEPOINT_INLINE batch operator/(batch x, batch y) noexcept { return batch(x.value / y.value); }
  friend RIDGEPOINT_INLINE batch operator-(batch x) noexcept { return batch(-x.value); }
  friend RIDGEPOINT_INLINE bool operator<(batch x, batch y) noexcept { return x.value < y.value; }
  friend RIDGEPOINT_INLINE bool operator<=(batch x, batch y) noexcept { return x.value <= y.value; }
  friend RIDGEPOINT_INLINE bool operator>(batch x, batch y) noexcept { return x.value > y.value; }
  friend RIDGEPOINT_INLINE bool operator>=(batch x, batch y) noexcept { return x.value >= y.value; }
  friend RIDGEPOINT_INLINE bool operator==(batch x, batch y) noexcept { return x.value == y.value; }
};

template <class T>
RIDGEPOINT_INLINE batch<T> load(const T* p) noexcept { return batch<T>(*p); }
template <class T>
RIDGEPOINT_INLINE void store(T* p, batch<T> x) noexcept { *p = x.value; }
template <class T>
RIDGEPOINT_INLINE batch<T> load_partial(const T* p, index_t n) noexcept { return batch<T>(n > 0 ? *p : T(0)); }
template <class T>
RIDGEPOINT_INLINE void store_partial(T* p, batch<T> x, index_t n) noexcept {
  if (n > 0) *p = x.value;
}
template <class T>
RIDGEPOINT_INLINE void stream(T* p, batch<T> x) noexcept { *p = x.value; }
template <class T>
RIDGEPOINT_INLINE batch<T> fma(batch<T> x, batch<T> y, batch<T> z) noexcept { return x * y + z; }
template <class T>
RIDGEPOINT_INLINE batch<T> max(batch<T> x, batch<T> bound) noexcept { return batch<T>(bound.value > x.value ? bound.value : x.value); }
template <class T>
RIDGEPOINT_INLINE batch<T> min(batch<T> x, batch<T> bound) noexcept { return batch<T>(bound.value < x.value ? bound.value : x.value); }
template <class T>
RIDGEPOINT_INLINE batch<T> select(bool mask, batch<T> yes, batch<T> no) noexcept { return mask ? yes : no; }
template <class T>
RIDGEPOINT_INLINE batch<T> sqrt(batch<T> x) noexcept { return batch<T>(std::sqrt(x.value)); }
template <class T>
RIDGEPOINT_INLINE T sum(batch<T> x) noexcept { return x.value; }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
