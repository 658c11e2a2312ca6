// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

/// A 16-bit format: 1 sign bit, `exponent_bits`, and the rest fraction. Decodes its patterns field by field.
struct short_float {
  int exponent_bits;

  [[nodiscard]] int fraction_bits() const { return 15 - exponent_bits; }
  [[nodiscard]] std::uint16_t infinity() const {
    return static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << fraction_bits());
  }
  /// Returns the value in double.
  [[nodiscard]] double value_of(std::uint16_t bits) const {
    const int most = (1 << exponent_bits) - 1, bias = most / 2;
    const int exponent = bits >> fraction_bits() & most, fraction = bits & ((1 << fraction_bits()) - 1);
    const double sign = bits >> 15 != 0 ? -1 : 1;
    if (exponent == most) return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    const int digits = exponent == 0 ? fraction : fraction + (1 << fraction_bits());
    return sign * std::ldexp(digits, (exponent == 0 ? 1 : exponent) - bias - fraction_bits());
  }
  /// Nearest of all finite patterns, by bisection over their order; ties to the even pattern; beyond the last one's
  /// half step, infinity. Inspects no bit of the float except its sign.
  [[nodiscard]] std::uint16_t nearest(float x) const {
    const auto sign = static_cast<std::uint16_t>(std::signbit(x) ? 0x8000 : 0);
    const double y = std::fabs(double{x});
    if (std::isinf(y)) return static_cast<std::uint16_t>(sign | infinity());
    std::uint16_t low = 0, high = infinity();  // one step beyond the largest finite value
    const double beyond = std::ldexp(1.0, 1 << (exponent_bits - 1));
    const auto at = [&](std::uint16_t bits) { return bits == infinity() ? beyond : value_of(bits); };
    while (high - low > 1) {
      const auto middle = static_cast<std::uint16_t>((low + high) / 2);
      (at(middle) <= y ? low : high) = middle;
    }
    const double below = y - at(low), above = at(high) - y;
    const bool up = y >= at(high) || above < below || (above == below && low % 2 != 0);
    return static_cast<std::uint16_t>(sign | (up ? high : low));
  }
};
