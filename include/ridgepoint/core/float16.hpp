// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/rounded_to_odd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// IEEE 754's binary16: 1 sign, 5 exponent, 10 fraction bits. For storage; arithmetic is float's.
///
/// From float, double or an integer: rounded once, to nearest, ties to the even fraction. Values from 65520 on become
/// infinite, what is less than 2⁻¹⁴ is a denormal, a multiple of 2⁻²⁴, a NaN stays a NaN (made quiet, with its sign and
/// the upper bits of its payload).
/// To float and double: exact; every bit pattern comes back as it was, a signalling NaN too.
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

  /// As float compares: -0 equals +0, NaN equals nothing.
  friend constexpr bool operator==(float16 a, float16 b) noexcept {
    return exactly(static_cast<float>(a), static_cast<float>(b));
  }

 private:
  /// Exponent and fraction of a float without sign, of these bits.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
