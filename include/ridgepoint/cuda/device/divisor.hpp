// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cuda/device/threads.hpp>

namespace ridgepoint_device {

/// Upper bound of dividends that use the multiplication.
constexpr index_t small_numbers = index_t{1} << 31;

/// A divisor that is shared by all elements: see ridgepoint::detail::divisor. Dividends are not negative. Below 2³¹,
/// the quotient is the upper bits of a product, 2 instructions; a 32-bit division takes about 20, a 64-bit division
/// more than twice as many.
struct divisor {
  index_t value;
  unsigned factor, shift;

  __device__ operator index_t() const { return value; }
  /// Returns ⌊n / value⌋. Requires: n < small_numbers.
  __device__ unsigned quotient_of_small(unsigned n) const {
    return static_cast<unsigned>(static_cast<unsigned long>(n) * factor >> shift);
  }
};
__device__ inline index_t operator/(index_t n, const divisor& d) {
  return n < small_numbers ? static_cast<index_t>(d.quotient_of_small(static_cast<unsigned>(n))) : n / d.value;
}
__device__ inline index_t operator%(index_t n, const divisor& d) { return n - n / d * d.value; }

/// A quotient and its remainder.
struct division {
  index_t quotient, rest;
};
__device__ inline division divide(index_t n, const divisor& d) {
  if (n >= small_numbers) return {n / d.value, n % d.value};
  const auto small = static_cast<unsigned>(n), quotient = d.quotient_of_small(small);
  return {static_cast<index_t>(quotient), static_cast<index_t>(small - quotient * static_cast<unsigned>(d.value))};
}

}  // namespace ridgepoint_device
