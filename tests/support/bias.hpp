// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <unordered_map>

#include "support/bounded.hpp"

namespace agreement {

/// Sum of the errors of a result's elements. Roundings to nearest cancel. Truncation, or a factor that is off in its
/// last bits, does not, although each element is far inside its own bound.
///
/// Roundings r independent of one another, of mean 0 and |r| ≤ c, obey Hoeffding: P(|Σ r| ≥ t) ≤ 2·exp(−t² / (2·Σ c²)).
/// So with probability 1 − p, |Σ error| ≤ Σ drift + √(2·ln(2/p)·Σ noise), noise = Σ c² within an element (bounded.hpp).
/// It grows with the root of the number of roundings, while the sum of the elements' bounds grows with their number.
/// p = 1e-9: the seeds of a test are fixed, and no rounding is repeated between elements. This fails for elements of 16
/// bits, which have too few digits: results with equal digits are rounded equally, as one rounding of Σ c.
class bias {
 public:
  template <class T>
  void add(const bounded<T>& want, double got) {
    const double error = want.off_by(got);
    upwards_ += error;
    outwards_ += want.value() < 0 ? -error : error;
    if constexpr (sizeof(T) == 2) {
      int exponent = 0;
      double& total = totals_[std::frexp(std::abs(want.value()), &exponent)];
      const double c = std::sqrt(want.noise());
      noise_ += c * (2 * total + c);
      total += c;
    } else {
      noise_ += want.noise();
    }
    drift_ += want.drift();
  }
  /// Σ error: detects rounding that always goes up or down.
  [[nodiscard]] double upwards() const { return upwards_; }
  /// Σ error·sign(value): detects rounding that always goes away from 0 or, as truncation does, towards it.
  [[nodiscard]] double outwards() const { return outwards_; }
  [[nodiscard]] double limit() const { return drift_ + std::sqrt(2 * std::log(2 / 1e-9) * noise_); }

 private:
  std::unordered_map<double, double> totals_;
  double upwards_ = 0, outwards_ = 0, noise_ = 0, drift_ = 0;
};

}  // namespace agreement
