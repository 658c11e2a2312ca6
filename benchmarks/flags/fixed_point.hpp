// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/scalar.hpp>

namespace flags {

/// Real number in steps of 2⁻⁸⁰, |x| < 2⁴⁷, with NaN and both infinities, computed in integers only, so that no
/// floating-point flag can change the result. The definitions in ridgepoint::reference, templates on the number type,
/// run in it and give the reference for every build.
///
/// Errors: 2⁻⁷⁸ of × and ÷; exp, sigmoid and tanh 2⁻⁶⁵.
class fixed_point {
 public:
  __extension__ typedef __int128 units_type;
  __extension__ typedef unsigned __int128 size_type;
  static constexpr int fraction_bits = 80;

  constexpr fixed_point() = default;
  template <std::integral Integer>
  explicit constexpr fixed_point(Integer value) noexcept : units_(units_type{value} * one) {}
  /// Rounds towards zero; exact for a float of 2⁻⁵⁶ or more. Reads the bits: no instruction sees the number itself.
  explicit fixed_point(float value) noexcept : units_(from_bits<23>(std::bit_cast<std::uint32_t>(value))) {}
  explicit fixed_point(double value) noexcept : units_(from_bits<52>(std::bit_cast<std::uint64_t>(value))) {}

  [[nodiscard]] bool is_nan() const noexcept { return units_ == nan_units; }
  [[nodiscard]] bool is_finite() const noexcept { return units_ < infinite && units_ > -infinite; }
  /// Returns the number of significant bits of `size`.
  [[nodiscard]] static int width(size_type size) noexcept {
    const auto high = static_cast<std::uint64_t>(size >> 64), low = static_cast<std::uint64_t>(size);
    return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
  }
  /// Returns |x| in steps of 2⁻⁸⁰; x must be finite.
  [[nodiscard]] size_type size() const noexcept { return static_cast<size_type>(units_ < 0 ? -units_ : units_); }
  /// x must be finite.
  explicit operator double() const noexcept {
    const double magnitude = static_cast<double>(size()) * 0x1p-80;
    return units_ < 0 ? -magnitude : magnitude;
  }

  friend fixed_point operator-(fixed_point x) noexcept { return of(x.is_nan() ? nan_units : -x.units_); }
  friend fixed_point operator+(fixed_point x, fixed_point y) noexcept {
    if (x.is_finite() && y.is_finite()) return of(x.units_ + y.units_);
    if (x.is_nan() || y.is_nan() || x.units_ == -y.units_) return of(nan_units);
    return x.is_finite() ? y : x;
  }
  friend fixed_point operator-(fixed_point x, fixed_point y) noexcept { return x + -y; }
  friend fixed_point operator*(fixed_point x, fixed_point y) noexcept {
    if (!x.is_finite() || !y.is_finite()) {
      if (x.is_nan() || y.is_nan() || x.units_ == 0 || y.units_ == 0) return of(nan_units);
      return signed_as(infinite, x, y);
    }
    const size_type a = x.size(), b = y.size(), low = ~std::uint64_t{0};
    const size_type middle = ((a >> 64) * (b & low) >> 16) + ((a & low) * (b >> 64) >> 16);
    const size_type product = ((a >> 64) * (b >> 64) << 48) + middle + ((a & low) * (b & low) >> 80);
    return signed_as(static_cast<units_type>(product), x, y);
  }
  friend fixed_point operator/(fixed_point x, fixed_point y) noexcept {
    if (x.is_nan() || y.is_nan() || (!x.is_finite() && !y.is_finite()) || (x.units_ == 0 && y.units_ == 0))
      return of(nan_units);
    if (!y.is_finite()) return {};
    if (!x.is_finite() || y.units_ == 0) return signed_as(infinite, x, y);
    size_type quotient = x.size() / y.size(), rest = x.size() % y.size();
    for (int bit = 0; bit < fraction_bits; ++bit) {
      rest <<= 1, quotient <<= 1;
      if (rest >= y.size()) rest -= y.size(), quotient |= 1;
    }
    return signed_as(static_cast<units_type>(quotient), x, y);
  }
  friend bool operator==(fixed_point x, fixed_point y) noexcept { return ordered(x, y) && x.units_ == y.units_; }
  friend bool operator<(fixed_point x, fixed_point y) noexcept { return ordered(x, y) && x.units_ < y.units_; }
  friend bool operator>(fixed_point x, fixed_point y) noexcept { return y < x; }
  friend bool operator<=(fixed_point x, fixed_point y) noexcept { return ordered(x, y) && x.units_ <= y.units_; }
  friend bool operator>=(fixed_point x, fixed_point y) noexcept { return y <= x; }

  /// Square root by Newton's method.
  friend fixed_point sqrt(fixed_point x) noexcept {
    if (!x.is_finite() || x.units_ <= 0) return x;
    fixed_point root = of(units_type{1} << (fraction_bits + width(x.size())) / 2);
    for (int step = 0; step < 8; ++step) root = of((root + x / root).units_ / 2);
    return root;
  }
  /// Exponential: the series of x / 2¹², then 12 squarings.
  friend fixed_point exp(fixed_point x) noexcept {
    constexpr int halvings = 12;
    if (x.is_nan()) return x;
    if (x.units_ < units_type{-60} * one) return {};
    if (x.units_ > units_type{32} * one) return of(infinite);
    const fixed_point part = of(x.units_ / (1 << halvings));
    fixed_point term(1), sum(1);
    for (int n = 1; n < 12; ++n) term = of((term * part).units_ / n), sum = sum + term;
    for (int n = 0; n < halvings; ++n) sum = sum * sum;
    return sum;
  }
  /// Logarithm by Newton's method; NaN if x ≤ 0.
  friend fixed_point log(fixed_point x) noexcept {
    if (x.is_nan() || x.units_ <= 0) return of(nan_units);
    if (!x.is_finite()) return x;
    fixed_point y = fixed_point(width(x.size()) - fraction_bits) * fixed_point(0.6931471805599453);
    for (int step = 0; step < 7; ++step) y = y + x * exp(-y) - fixed_point(1);
    return y;
  }
  friend fixed_point sigmoid(fixed_point x) noexcept {
    const fixed_point small = exp(x.units_ < 0 ? x : -x), larger = fixed_point(1) / (fixed_point(1) + small);
    return x.units_ < 0 ? small * larger : larger;
  }
  friend fixed_point tanh(fixed_point x) noexcept {
    const bool below = x.units_ < 0;
    const fixed_point small = exp(below ? x + x : -(x + x));
    const fixed_point size = (fixed_point(1) - small) / (fixed_point(1) + small);
    return below ? -size : size;
  }
  /// Required by the definition of gelu, which no row uses.
  friend fixed_point erf(fixed_point) { throw ridgepoint::unsupported("fixed_point: erf is not implemented"); }

 private:
  static constexpr units_type one = units_type{1} << fraction_bits;
  static constexpr units_type infinite = static_cast<units_type>(~size_type{0} >> 1), nan_units = -infinite - 1;

  static constexpr fixed_point of(units_type units) noexcept {
    fixed_point made;
    made.units_ = units;
    return made;
  }
  static fixed_point signed_as(units_type size, fixed_point x, fixed_point y) noexcept {
    return of((x.units_ < 0) != (y.units_ < 0) ? -size : size);
  }
  static bool ordered(fixed_point x, fixed_point y) noexcept { return !x.is_nan() && !y.is_nan(); }
  template <int fraction_width, class Bits>
  static units_type from_bits(Bits bits) noexcept {
    constexpr int top = 8 * sizeof(Bits) - 1, largest = (1 << (top - fraction_width)) - 1;
    constexpr Bits one_and = Bits{1} << fraction_width;
    const Bits fraction = bits & (one_and - 1);
    const int exponent = static_cast<int>(bits >> fraction_width) & largest;
    const int shift = exponent - largest / 2 - fraction_width + fixed_point::fraction_bits;
    units_type size = 0;
    if (exponent == largest) size = infinite;
    else if (exponent != 0 && shift > -fraction_width) {
      size = static_cast<units_type>(fraction | one_and);
      size = shift < 0 ? size >> -shift : size << shift;
    }
    if (exponent == largest && fraction != 0) return nan_units;
    return bits >> top != 0 ? -size : size;
  }
  units_type units_ = 0;
};

}  // namespace flags

template <>
struct ridgepoint::scalar_traits<flags::fixed_point> {
  using accumulator = flags::fixed_point;
  static constexpr unsigned bytes = 16;
};
