// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/core/rounded_to_odd.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A float cut to its upper 16 bits: 1 sign, 8 exponent, 7 fraction bits. For storage; arithmetic is float's.
///
/// From float, double or an integer: rounded once, to nearest, ties to the even fraction. Values beyond
/// 3.3895e38·(1 + 2⁻⁸) become infinite, denormals are kept, a NaN stays a NaN (made quiet, with its sign and the
/// upper bits of its payload).
/// To float and double: exact; every bit pattern comes back as it was, a signalling NaN too.
/// Example:
///   float(rp::bfloat16(1.01171875f))                         // 1.015625: half way, to the even neighbour
class bfloat16 {
 public:
  constexpr bfloat16() = default;
  constexpr explicit bfloat16(float x) noexcept {
    const auto u = std::bit_cast<std::uint32_t>(x);
    const bool nan = (u & 0x7fff'ffffU) > 0x7f80'0000U;
    const std::uint32_t rounded = u + 0x7fffU + (u >> 16 & 1U);  // a carry into the exponent is right, up to infinity
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

  /// As float compares: -0 equals +0, NaN equals nothing.
  friend constexpr bool operator==(bfloat16 a, bfloat16 b) noexcept {
    return exactly(static_cast<float>(a), static_cast<float>(b));
  }

 private:
  std::uint16_t bits_ = 0;
};
static_assert(sizeof(bfloat16) == 2);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
