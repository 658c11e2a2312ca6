// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>

#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/simd/bits.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// A register of one value, so that kernels have a scalar build from the same source.
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
  friend RIDGEPOINT_INLINE bool operator==(batch x, batch y) noexcept { return exactly(x.value, y.value); }
};

/// The bits of a batch<T> as unsigned integers: + − << >> & | apply to every lane.
template <class T>
using bits_t = unsigned_like<T>;
/// Counters in 64-bit lanes, for random numbers.
using counters = std::uint64_t;

template <class T>
RIDGEPOINT_INLINE batch<T> load(const T* p) noexcept {
  return batch<T>(*p);
}
template <class T>
RIDGEPOINT_INLINE void store(T* p, batch<T> x) noexcept {
  *p = x.value;
}
template <class T>
RIDGEPOINT_INLINE void hold(batch<T>& x) noexcept {
  asm("" : "+x"(x.value));
}
template <class T>
RIDGEPOINT_INLINE batch<T> load_partial(const T* p, index_t n) noexcept {
  return batch<T>(n > 0 ? *p : T(0));
}
template <class T>
RIDGEPOINT_INLINE void store_partial(T* p, batch<T> x, index_t n) noexcept {
  if (n > 0) *p = x.value;
}

RIDGEPOINT_INLINE batch<float> load(const bfloat16* p) noexcept { return batch<float>(static_cast<float>(*p)); }
RIDGEPOINT_INLINE void store(bfloat16* p, batch<float> x) noexcept { *p = bfloat16(x.value); }
RIDGEPOINT_INLINE batch<float> load_partial(const bfloat16* p, index_t n) noexcept {
  return n > 0 ? load(p) : batch<float>(0.0F);
}
RIDGEPOINT_INLINE void store_partial(bfloat16* p, batch<float> x, index_t n) noexcept {
  if (n > 0) store(p, x);
}

template <class T>
RIDGEPOINT_INLINE batch<T> load_bytes(const std::uint8_t* p) noexcept {
  return batch<T>(static_cast<T>(*p));
}
template <class T>
RIDGEPOINT_INLINE void store_bytes(std::uint8_t* p, batch<T> x) noexcept {
  *p = static_cast<std::uint8_t>(x.value);
}

template <class T>
RIDGEPOINT_INLINE void stream(T* p, batch<T> x) noexcept {
  *p = x.value;
}
template <class T>
RIDGEPOINT_INLINE batch<T> fma(batch<T> x, batch<T> y, batch<T> z) noexcept {
  return x * y + z;
}
template <class T>
RIDGEPOINT_INLINE batch<T>(max)(batch<T> x, batch<T> bound) noexcept {
  return batch<T>(bound.value > x.value ? bound.value : x.value);
}
template <class T>
RIDGEPOINT_INLINE batch<T>(min)(batch<T> x, batch<T> bound) noexcept {
  return batch<T>(bound.value < x.value ? bound.value : x.value);
}
template <class T>
RIDGEPOINT_INLINE batch<T> select(bool mask, batch<T> yes, batch<T> no) noexcept {
  return mask ? yes : no;
}
template <class T>
RIDGEPOINT_INLINE bool any(bool mask) noexcept {
  return mask;
}
template <class T>
RIDGEPOINT_INLINE batch<T> sqrt(batch<T> x) noexcept {
  return batch<T>(std::sqrt(x.value));
}
template <class T>
RIDGEPOINT_INLINE batch<T> round(batch<T> x) noexcept {
  return batch<T>(std::nearbyint(x.value));
}
template <class T>
RIDGEPOINT_INLINE bits_t<T> to_bits(batch<T> x) noexcept {
  return std::bit_cast<bits_t<T>>(x.value);
}
template <class T>
RIDGEPOINT_INLINE batch<T> from_bits(bits_t<T> bits) noexcept {
  return batch<T>(std::bit_cast<T>(bits));
}
template <class T>
RIDGEPOINT_INLINE T sum(batch<T> x) noexcept {
  return x.value;
}
template <class T, int N>
RIDGEPOINT_INLINE void sums(const batch<T> (&x)[N], T* out) noexcept {
  for (int i = 0; i < N; ++i) out[i] = x[i].value;
}

template <class T>
inline constexpr index_t transpose_edge = 1;
template <class T>
RIDGEPOINT_INLINE void transpose_square(const T* src, index_t, T* dst, index_t) noexcept {
  *dst = *src;
}

/// Multiplies the low 32 bits of each lane.
RIDGEPOINT_INLINE counters multiply_low(counters a, counters b) noexcept {
  return (a & 0xFFFFFFFFU) * (b & 0xFFFFFFFFU);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

#pragma GCC diagnostic pop
