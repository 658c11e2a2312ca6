// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <ostream>

/// A number and how far another may lie from it, as a share of its size: near(96e-3, 0.02) takes 94.08 to 97.92 ms. It
/// stands for Approx of doctest, whose tolerance is absolute below 1. Where 0 is expected, say how small: |x| <= limit.
///
/// Example:
///   CHECK(op.elapsed_s == near(96e-3, 0.02));
class near {
 public:
  /// `share`: by default no more than the rounding of a few operations in double.
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
