// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <ridgepoint/core/error.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Extents, strides and indices, in elements. Signed, so that differences are safe.
using index_t = std::ptrdiff_t;

/// ⌈a / b⌉ for a ≥ 0, b > 0.
[[nodiscard]] constexpr index_t ceil_div(index_t a, index_t b) noexcept { return (a + b - 1) / b; }
/// Smallest multiple of b that is ≥ a.
[[nodiscard]] constexpr index_t round_up(index_t a, index_t b) noexcept { return ceil_div(a, b) * b; }

/// a·b. Throws: shape_error if a factor is negative or the product does not fit an index_t.
[[nodiscard]] constexpr index_t checked_mul(index_t a, index_t b) {
  index_t product = 0;
  require<shape_error>(a >= 0 && b >= 0, "extent: ", a < 0 ? a : b, " is negative; extents must be >= 0");
  require<shape_error>(!__builtin_mul_overflow(a, b, &product), "extent: ", a, " * ", b,
                       " does not fit; must be < 2^63");
  return product;
}
/// a + b. Throws: shape_error if the sum does not fit an index_t.
[[nodiscard]] constexpr index_t checked_add(index_t a, index_t b) {
  index_t sum = 0;
  require<shape_error>(!__builtin_add_overflow(a, b, &sum), "extent: ", a, " + ", b, " does not fit; must be < 2^63");
  return sum;
}

/// Returns a == b, where exact comparison is intended: with 0, or with one of the numbers that a was chosen from.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE constexpr bool exactly(const T& a, const std::type_identity_t<T>& b) noexcept {
  if constexpr (std::is_floating_point_v<T>) return std::is_eq(a <=> b);  // a == b would trigger -Wfloat-equal
  else return a == b;
}

/// Returns the divisor b. Throws: value_error, beginning with its name, unless b is positive.
[[nodiscard]] constexpr index_t checked_divisor(std::string_view name, index_t b) {
  require<value_error>(b > 0, name, " is ", b, "; must be > 0");
  return b;
}

/// Alignment of every allocation and every row that ridgepoint lays out itself, for every ISA.
inline constexpr std::size_t alignment_bytes = 64;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
