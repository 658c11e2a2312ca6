// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <ridgepoint/core/scalar.hpp>

/// Tolerances that follow from the arithmetic: a scalar that carries, beside its value in a wider type, a bound on
/// how far the same computation in T may be off. The definition of an op run with it gives both the answer and the
/// tolerance.
namespace agreement {

/// Largest errors of simd/math.hpp, in units of the last place.
inline constexpr double special_ulp = 7;

/// value: the result in long double. size: the sum of magnitudes of everything added up in it, so at least as large
/// as any intermediate sum in any order. error: |result in T − value| at most, for any order of sums, with or without
/// FMA.
///
/// Each operation adds u·size for its own rounding, u = 2^−24 (float) or 2^−53 (double), to what its operands bring.
template <class T>
class bounded {
 public:
  static constexpr double u = std::numeric_limits<T>::epsilon() / 2;
  /// Below this, exp flushes and sums lose bits.
  static constexpr double tiny = std::numeric_limits<T>::min() * 2;

  bounded() = default;
  /// A constant; it is rounded to T where it is used.
  explicit bounded(double value)
      : value_(value),
        size_(std::abs(value)),
        error_(std::isfinite(value) ? std::abs(static_cast<double>(static_cast<T>(value)) - value) : 0) {}
  bounded(long double value, double size, double error) : value_(value), size_(size), error_(error) {}
  /// The value; last_error() is its bound, relative to it.
  explicit operator double() const {
    last_error() = value_ == 0 ? 0 : error_ / std::abs(value());
    return value();
  }
  [[nodiscard]] double value() const { return static_cast<double>(value_); }
  [[nodiscard]] double error() const { return error_; }
  /// |other − value|.
  [[nodiscard]] double off_by(double other) const {
    return static_cast<double>(std::abs(static_cast<long double>(other) - value_));
  }
  static double& last_error() {
    static thread_local double error = 0;
    return error;
  }

  friend bounded operator+(const bounded& a, const bounded& b) { return sum(a, b, a.value_ + b.value_); }
  friend bounded operator-(const bounded& a, const bounded& b) { return sum(a, b, a.value_ - b.value_); }
  friend bounded operator-(const bounded& a) { return {-a.value_, a.size_, a.error_}; }
  friend bounded operator*(const bounded& a, const bounded& b) {
    const double size = a.size_ * b.size_;
    return {a.value_ * b.value_, size, a.error_ * b.size_ + b.error_ * a.size_ + a.error_ * b.error_ + u * size + tiny};
  }
  friend bounded operator/(const bounded& a, const bounded& b) {
    const double least = std::abs(b.value()) - b.error_, quotient = std::abs(a.value() / b.value()),
                 size = a.size_ / least;
    return {a.value_ / b.value_, size, (a.error_ + b.error_ * quotient) / least + u * size + tiny};
  }
  friend bool operator<(const bounded& a, const bounded& b) { return a.value_ < b.value_; }
  friend bool operator>(const bounded& a, const bounded& b) { return a.value_ > b.value_; }
  friend bool operator<=(const bounded& a, const bounded& b) { return a.value_ <= b.value_; }
  friend bool operator>=(const bounded& a, const bounded& b) { return a.value_ >= b.value_; }
  friend bool operator==(const bounded& a, const bounded& b) { return a.value_ <= b.value_ && a.value_ >= b.value_; }
  friend bounded abs(const bounded& a) { return {std::abs(a.value_), a.size_, a.error_}; }
  friend bounded sqrt(const bounded& a) {
    const double root = std::sqrt(a.value());
    return {std::sqrt(a.value_), root,
            (root > 0 ? std::min(a.error_ / root, std::sqrt(a.error_)) : std::sqrt(a.error_)) + u * root};
  }
  friend bounded exp(const bounded& a) {
    return special(std::exp(a.value_), std::exp(a.value()) * std::expm1(a.error_));
  }
  friend bounded log(const bounded& a) { return special(std::log(a.value_), a.error_ / (a.value() - a.error_)); }
  friend bounded log1p(const bounded& a) { return special(std::log1p(a.value_), a.error_); }
  friend bounded tanh(const bounded& a) { return special(std::tanh(a.value_), a.error_); }
  friend bounded sigmoid(const bounded& a) { return special(1 / (1 + std::exp(-a.value_)), a.error_ / 4); }

 private:
  static bounded sum(const bounded& a, const bounded& b, long double value) {
    const double size = a.size_ + b.size_;
    return {value, size, a.error_ + b.error_ + u * size};
  }
  static bounded special(long double value, double inherited) {
    const auto size = static_cast<double>(std::abs(value));
    return {value, size, inherited + 2 * u * special_ulp * size + tiny};
  }
  long double value_ = 0;
  double size_ = 0, error_ = 0;
};

}  // namespace agreement

template <class T>
struct ridgepoint::scalar_traits<agreement::bounded<T>> {
  using accumulator = agreement::bounded<T>;
  static constexpr unsigned bytes = sizeof(T);
};
