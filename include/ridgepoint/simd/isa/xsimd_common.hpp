// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <xsimd/xsimd.hpp>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/simd/bits.hpp>

/// What is the same for every xsimd architecture. Include through simd/batch.hpp; `arch` is set by the ISA's own file.
namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

template <class T>
using batch = xsimd::batch<T, arch>;

/// The bits of a batch<T> as unsigned integers: + − << >> & | apply to every lane.
template <class T>
using bits_t = integers<unsigned_like<T>, sizeof(batch<T>)>;
template <class T>
RIDGEPOINT_INLINE bits_t<T> to_bits(xsimd::batch<T, arch> x) noexcept {
  return __builtin_bit_cast(bits_t<T>, static_cast<typename batch<T>::register_type>(x));
}
template <class T>
RIDGEPOINT_INLINE batch<T> from_bits(bits_t<T> bits) noexcept {
  return __builtin_bit_cast(typename batch<T>::register_type, bits);
}

template <class T>
RIDGEPOINT_INLINE batch<T> load(const T* p) noexcept { return batch<T>::load_unaligned(p); }
template <class T>
RIDGEPOINT_INLINE void store(T* p, batch<T> x) noexcept { x.store_unaligned(p); }
template <class T>
RIDGEPOINT_INLINE batch<T> select(typename batch<T>::batch_bool_type mask, batch<T> yes, batch<T> no) noexcept {
#if defined(__AVX__) && !defined(__AVX2__)
  // GCC 12 takes a 256-bit blend apart into single elements where there are no 256-bit integers.
  const auto bits = __builtin_bit_cast(bits_t<T>, static_cast<typename batch<T>::batch_bool_type::register_type>(mask));
  return from_bits<T>((bits & to_bits<T>(yes)) | (~bits & to_bits<T>(no)));
#else
  return xsimd::select(mask, yes, no);
#endif
}
/// Sum of all lanes, halving: lane i joins lane i + lanes/2 and so on.
template <class T>
RIDGEPOINT_INLINE T sum(xsimd::batch<T, arch> x) noexcept {
  constexpr std::size_t lanes = sizeof(x) / sizeof(T);
  auto lane = __builtin_bit_cast(std::array<T, lanes>, static_cast<typename batch<T>::register_type>(x));
  RIDGEPOINT_UNROLL
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    RIDGEPOINT_UNROLL
    for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return lane[0];
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
