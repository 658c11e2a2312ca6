// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns x if it is a float, else the odd one of the floats around x: on the same side as x of every tie between two
/// numbers of fewer bits, so that rounding the result to these rounds x once.
[[nodiscard]] constexpr float rounded_to_odd(double x) noexcept {
  const auto nearest = static_cast<float>(x);
  const auto back = static_cast<double>(nearest);
  if (exactly(back, x) || !exactly(x, x)) return nearest;
  const bool beyond = x < 0 ? back < x : back > x;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(nearest) - (beyond ? 1U : 0U)) | 1U);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. For storage; arithmetic is float's.
///
/// From float, double or an integer: rounded once, to nearest, ties to the even fraction. Values from 65520 on become
/// infinite, values below 2⁻¹⁴ become denormals, multiples of 2⁻²⁴, a NaN stays a NaN (made quiet, with its sign and
/// the upper bits of its payload).
/// To float and double: exact; every bit pattern survives the round trip, also a signalling NaN.
/// Example:
///   float(rp::float16(2049.0f))                               // 2048: half way, to the even neighbour
class float16 {
 public:
  constexpr float16() = default;
  constexpr explicit float16(float x) noexcept {
    const auto u = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t size = u & 0x7fff'ffffU, sign = u >> 16 & 0x8000U;
    bits_ = static_cast<std::uint16_t>(sign | rounded(size));
  }
  constexpr explicit float16(double x) noexcept : float16(detail::rounded_to_odd(x)) {}
  constexpr explicit float16(std::integral auto x) noexcept : float16(static_cast<double>(x)) {}
  [[nodiscard]] constexpr explicit operator float() const noexcept {
    const std::uint32_t sign = (bits_ & 0x8000U) << 16, fraction = bits_ & 0x3ffU, exponent = bits_ >> 10 & 0x1fU;
    if (exponent == 0) {  // a multiple of 2⁻²⁴
      const float size = static_cast<float>(fraction) * 0x1p-24F;
      return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(size));
    }
    const std::uint32_t shifted = exponent == 0x1f ? 0xffU : exponent + (127 - 15);
    return std::bit_cast<float>(sign | shifted << 23 | fraction << 13);
  }
  [[nodiscard]] constexpr explicit operator double() const noexcept {
    return static_cast<double>(static_cast<float>(*this));
  }
  [[nodiscard]] static constexpr float16 from_bits(std::uint16_t bits) noexcept {
    float16 x;
    x.bits_ = bits;
    return x;
  }
  [[nodiscard]] constexpr std::uint16_t bits() const noexcept { return bits_; }

  /// Compares as float does: -0 equals +0, NaN equals nothing.
  friend constexpr bool operator==(float16 a, float16 b) noexcept {
    return exactly(static_cast<float>(a), static_cast<float>(b));
  }

 private:
  /// Returns exponent and fraction of the float16 nearest to an unsigned float with these bits.
  [[nodiscard]] static constexpr std::uint32_t rounded(std::uint32_t size) noexcept {
    if (size > 0x7f80'0000U) return 0x7e00U | (size >> 13 & 0x3ffU);
    if (size >= 0x4780'0000U) return 0x7c00U;  // 65536 and more
    if (size < 0x3880'0000U)                   // less than 2⁻¹⁴: floats from 1/2 on are multiples of 2⁻²⁴
      return std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F) - 0x3f00'0000U;
    return (size + 0xfffU + (size >> 13 & 1U) - 0x3800'0000U) >> 13;  // a carry into the exponent is right
  }
  std::uint16_t bits_ = 0;
};
static_assert(sizeof(float16) == 2);

/// A 16-bit float, the upper half of binary32: 1 sign, 8 exponent, 7 fraction bits. For storage; arithmetic is float's.
///
/// From float, double or an integer: rounded once, to nearest, ties to the even fraction. Values beyond
/// 3.3895e38·(1 + 2⁻⁸) become infinite, denormals are kept, a NaN stays a NaN (made quiet, with its sign and the
/// upper bits of its payload).
/// To float and double: exact; every bit pattern survives the round trip, also a signalling NaN.
/// Example:
///   float(rp::bfloat16(1.01171875f))                         // 1.015625: half way, to the even neighbour
class bfloat16 {
 public:
  constexpr bfloat16() = default;
  constexpr explicit bfloat16(float x) noexcept {
    const auto u = std::bit_cast<std::uint32_t>(x);
    const bool nan = (u & 0x7fff'ffffU) > 0x7f80'0000U;
    const std::uint32_t rounded = u + 0x7fffU + (u >> 16 & 1U);  // a carry into the exponent is right, also to infinity
    bits_ = static_cast<std::uint16_t>(nan ? u >> 16 | 0x40U : rounded >> 16);
  }
  constexpr explicit bfloat16(double x) noexcept : bfloat16(detail::rounded_to_odd(x)) {}
  constexpr explicit bfloat16(std::integral auto x) noexcept : bfloat16(static_cast<double>(x)) {}
  [[nodiscard]] constexpr explicit operator float() const noexcept {
    return std::bit_cast<float>(std::uint32_t{bits_} << 16);
  }
  [[nodiscard]] constexpr explicit operator double() const noexcept {
    return static_cast<double>(static_cast<float>(*this));
  }
  [[nodiscard]] static constexpr bfloat16 from_bits(std::uint16_t bits) noexcept {
    bfloat16 x;
    x.bits_ = bits;
    return x;
  }
  [[nodiscard]] constexpr std::uint16_t bits() const noexcept { return bits_; }

  /// Compares as float does: -0 equals +0, NaN equals nothing.
  friend constexpr bool operator==(bfloat16 a, bfloat16 b) noexcept {
    return exactly(static_cast<float>(a), static_cast<float>(b));
  }

 private:
  std::uint16_t bits_ = 0;
};
static_assert(sizeof(bfloat16) == 2);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
