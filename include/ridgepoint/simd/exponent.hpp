// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

namespace detail {
/// Stored bits of the significand: 23 or 52.
template <class T>
inline constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
}  // namespace detail

/// Computes x·2^n for integral n by adding n to the exponent field: one addition, correct if x and the result are
/// normal.
template <class T>
RIDGEPOINT_INLINE batch<T> add_exponent(batch<T> x, batch<T> n) noexcept {
  // n + 1.5·2^fraction_bits has n in its lowest bits, in two's complement; the shift discards the rest.
  const T lift = T(1.5) * static_cast<T>(std::uint64_t{1} << detail::fraction_bits<T>);
  return from_bits<T>(to_bits<T>(x) + (to_bits<T>(n + batch<T>(lift)) << detail::fraction_bits<T>));
}

/// A number split into fraction and exponent: value = fraction·2^exponent with √½ ≤ fraction < √2.
template <class T>
struct scientific {
  batch<T> fraction, exponent;
};

/// Splits positive normal numbers.
template <class T>
RIDGEPOINT_INLINE scientific<T> split_exponent(batch<T> x) noexcept {
  using word = unsigned_like<T>;
  constexpr int bits = detail::fraction_bits<T>;
  constexpr word root_half = sizeof(T) == 8 ? static_cast<word>(0x3FE6A09E667F3BCDU) : word{0x3F3504F3U};
  constexpr word one = static_cast<word>(std::numeric_limits<T>::max_exponent - 1) << bits;
  constexpr word below = (word{1} << bits) - 1;
  constexpr T lift = static_cast<T>(std::uint64_t{1} << bits);  // lift + e has e in its lowest bits
  constexpr word lift_bits = static_cast<word>(std::numeric_limits<T>::max_exponent - 1 + bits) << bits;
  const auto shifted = to_bits<T>(x) + (one - root_half);
  const batch<T> biased = from_bits<T>((shifted >> bits) + lift_bits);
  return {.fraction = from_bits<T>((shifted & below) + root_half),
          .exponent = biased - batch<T>(lift + static_cast<T>(std::numeric_limits<T>::max_exponent - 1))};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
