// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include <ridgepoint/core/scalar.hpp>

/// Tolerances that follow from the arithmetic: a scalar that carries a value in a wider type and a bound on the error
/// of the same computation in T. The definition of an op run with it gives both the answer and the tolerance.
namespace agreement {

/// Largest errors of simd/math.hpp, in units of the last place.
inline constexpr double special_ulp = 7;

/// value: the result in long double. size: the sum of magnitudes of all its addends, so at least as large as any
/// intermediate sum in any order. error: upper bound of |result in T − value|, for any order of sums, with or without
/// FMA. Each operation adds u·size for its own rounding, u = 2^−24 (float) or 2^−53 (double), to its operands' errors;
/// each addition of a sum counts the size of the whole sum: its largest addend may be the first.
///
/// For many results together (bias.hpp), error = noise + drift. noise: Σ c² of roundings to nearest, each up to c and
/// as often up as down. drift: bound of the rest, perhaps always in one direction: a constant that T does not hold, a
/// special function. power: the square of an intermediate, as large as its value or the root of the summed squares of
/// its addends (the typical sum of numbers of both signs). A rounding is at most u·√power.
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
        error_(std::isfinite(value) ? std::abs(static_cast<double>(static_cast<T>(value)) - value) : 0),
        power_(value * value),
        drift_(error_) {}
  /// The value; last_error() is its bound, relative to it.
  explicit operator double() const {
    last_error() = value_ == 0 ? 0 : error_ / std::abs(value());
    return value();
  }
  [[nodiscard]] double value() const { return static_cast<double>(value_); }
  [[nodiscard]] double error() const { return error_; }
  [[nodiscard]] double noise() const { return noise_; }
  [[nodiscard]] double drift() const { return drift_; }
  /// Returns other − value.
  [[nodiscard]] double off_by(double other) const {
    return static_cast<double>(static_cast<long double>(other) - value_);
  }
  /// Returns the value rounded to nearest in another type, with unit roundoff `by` and denormal roundoff `least`.
  [[nodiscard]] bounded rounded(double by, double least) const {
    bounded r = *this;
    r.additions_ = 0;
    const double once = by * (std::abs(value()) + error_) + least;
    r.error_ += once;
    r.noise_ += by * by * power_;
    r.drift_ += by * error_ + least;
    return r;
  }
  static double& last_error() {
    static thread_local double error = 0;
    return error;
  }

  friend bounded operator+(const bounded& a, const bounded& b) { return sum(a, b, a.value_ + b.value_); }
  friend bounded operator-(const bounded& a, const bounded& b) { return sum(a, b, a.value_ - b.value_); }
  friend bounded operator-(bounded a) {
    a.value_ = -a.value_;
    return a;
  }
  friend bounded operator*(const bounded& a, const bounded& b) {
    bounded r;
    r.value_ = a.value_ * b.value_;
    r.size_ = a.size_ * b.size_;
    r.error_ = a.error_ * b.size_ + b.error_ * a.size_ + a.error_ * b.error_ + u * r.size_ + tiny;
    r.power_ = a.power_ * b.power_;
    r.noise_ = a.noise_ * b.power_ + b.noise_ * a.power_ + u * u * r.power_;
    r.drift_ = a.drift_ * b.size_ + b.drift_ * a.size_ + a.error_ * b.error_ + tiny;
    return r;
  }
  friend bounded operator/(const bounded& a, const bounded& b) {
    const double least = std::abs(b.value()) - b.error_, quotient = std::abs(a.value() / b.value());
    bounded r;
    r.value_ = a.value_ / b.value_;
    r.size_ = a.size_ / least;
    r.error_ = (a.error_ + b.error_ * quotient) / least + u * r.size_ + tiny;
    r.power_ = a.power_ / (least * least);
    r.noise_ = (a.noise_ + b.noise_ * quotient * quotient) / (least * least) + u * u * r.power_;
    r.drift_ = (a.drift_ + b.drift_ * quotient + b.error_ * (r.error_ + b.error_ * quotient / least)) / least + tiny;
    return r;
  }
  friend bool operator<(const bounded& a, const bounded& b) { return a.value_ < b.value_; }
  friend bool operator>(const bounded& a, const bounded& b) { return a.value_ > b.value_; }
  friend bool operator<=(const bounded& a, const bounded& b) { return a.value_ <= b.value_; }
  friend bool operator>=(const bounded& a, const bounded& b) { return a.value_ >= b.value_; }
  friend bool operator==(const bounded& a, const bounded& b) { return a.value_ <= b.value_ && a.value_ >= b.value_; }
  friend bounded abs(bounded a) {
    a.value_ = std::abs(a.value_);
    return a;
  }
  /// The slope of the root changes across the error of a small operand, so that roundings in it are biased.
  friend bounded sqrt(const bounded& a) {
    const double root = std::sqrt(a.value());
    return skewed(std::sqrt(a.value_),
                  (root > 0 ? std::min(a.error_ / root, std::sqrt(a.error_)) : std::sqrt(a.error_)) + u * root);
  }
  friend bounded exp(const bounded& a) {
    return special(std::exp(a.value_), std::exp(a.value()) * std::expm1(a.error_));
  }
  friend bounded log(const bounded& a) { return special(std::log(a.value_), a.error_ / (a.value() - a.error_)); }
  friend bounded log1p(const bounded& a) { return special(std::log1p(a.value_), a.error_); }
  friend bounded erf(const bounded& a) { return special(std::erf(a.value_), 1.2 * a.error_); }  // slope 2/√π
  friend bounded tanh(const bounded& a) { return special(std::tanh(a.value_), a.error_); }
  friend bounded sigmoid(const bounded& a) { return special(1 / (1 + std::exp(-a.value_)), a.error_ / 4); }

 private:
  static bounded sum(const bounded& a, const bounded& b, long double value) {
    bounded r;
    r.value_ = value;
    r.size_ = a.size_ + b.size_;
    r.additions_ = a.additions_ + b.additions_ + 1;
    r.brought_ = (a.additions_ > 0 ? a.brought_ : a.error_) + (b.additions_ > 0 ? b.brought_ : b.error_);
    r.error_ = r.brought_ + r.additions_ * u * r.size_;
    r.power_ = std::max(r.value() * r.value(), a.power_ + b.power_);
    r.noise_ = a.noise_ + b.noise_ + u * u * r.power_;
    r.drift_ = a.drift_ + b.drift_;
    return r;
  }
  /// Result whose whole error may be systematic.
  static bounded skewed(long double value, double error) {
    bounded r;
    r.value_ = value;
    r.size_ = static_cast<double>(std::abs(value));
    r.error_ = r.drift_ = error;
    r.power_ = r.size_ * r.size_;
    return r;
  }
  static bounded special(long double value, double inherited) {
    return skewed(value, inherited + 2 * u * special_ulp * static_cast<double>(std::abs(value)) + tiny);
  }
  long double value_ = 0;
  double size_ = 0, error_ = 0, power_ = 0, noise_ = 0, drift_ = 0;
  double additions_ = 0, brought_ = 0;  // of a sum: number of additions, and the error of its addends
};

/// Stored as bfloat16 or float16, computed in float: a bounded<float>, rounded once more when stored.
template <class T>
  requires(std::same_as<T, ridgepoint::bfloat16> || std::same_as<T, ridgepoint::float16>)
class bounded<T> {
 public:
  static constexpr bool has_range = std::same_as<T, ridgepoint::bfloat16>;  // of float
  static constexpr double u = has_range ? 0x1p-8 : 0x1p-11, tiny = has_range ? bounded<float>::tiny : 0x1p-25;

  bounded() = default;
  explicit bounded(double value) : computed_(value) {
    if (static_cast<double>(T(value)) != value) computed_ = computed_.rounded(u, tiny);
  }
  explicit bounded(const bounded<float>& result) : computed_(result.rounded(u, tiny)) {}
  explicit operator bounded<float>() const { return computed_; }
  [[nodiscard]] double value() const { return computed_.value(); }
  [[nodiscard]] double error() const { return computed_.error(); }
  [[nodiscard]] double noise() const { return computed_.noise(); }
  [[nodiscard]] double drift() const { return computed_.drift(); }
  [[nodiscard]] double off_by(double other) const { return computed_.off_by(other); }
  static double& last_error() { return bounded<float>::last_error(); }

 private:
  bounded<float> computed_;
};

}  // namespace agreement

template <class T>
struct ridgepoint::scalar_traits<agreement::bounded<T>> {
  using accumulator = agreement::bounded<T>;
  static constexpr unsigned bytes = sizeof(T);
};
template <class T>
  requires(sizeof(T) == 2)
struct ridgepoint::scalar_traits<agreement::bounded<T>> {
  using accumulator = agreement::bounded<float>;
  using compute = agreement::bounded<float>;
  static constexpr unsigned bytes = 2;
};
