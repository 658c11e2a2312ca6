// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Interference from other work during a measurement, and its effect.
struct disturbance {
  double other_cores = 0;  // cores' worth of time that other processes used
  double steal_share = 0;  // share of all cores' time that the host took
  double slowdown = 1;     // median ÷ best of the repetitions
  int attempts = 1;        // the fastest is reported

  /// Thresholds below which interference is not reported: 0.1 cores, 1 % of the time, 25 % slower than the best.
  static constexpr double usual_cores = 0.1, usual_steal = 0.01, usual_slowdown = 1.25;
  [[nodiscard]] constexpr bool busy() const noexcept {
    return other_cores > usual_cores || steal_share > usual_steal || slowdown > usual_slowdown;
  }
  friend constexpr bool operator==(const disturbance&, const disturbance&) = default;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
