// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <ostream>

/// A number with a relative tolerance: near(96e-3, 0.02) accepts 94.08 to 97.92 ms. Replaces doctest's Approx, whose
/// tolerance is absolute below 1. For an expected 0, check |x| <= limit instead.
///
/// Example:
///   CHECK(op.elapsed_s == near(96e-3, 0.02));
class near {
 public:
  /// `share`: by default the rounding of a few operations in double.
  explicit near(double value, double share = 1e-12) : value_(value), share_(share) {}

  friend bool operator==(double got, const near& expected) {
    return std::abs(got - expected.value_) <= expected.share_ * std::abs(expected.value_);
  }
  friend std::ostream& operator<<(std::ostream& out, const near& expected) {
    return out << expected.value_ << " +- " << 100 * expected.share_ << " %";
  }

 private:
  double value_, share_;
};
