// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What other work took away while something was measured, and what came of it.
struct disturbance {
  double other_cores = 0;  // cores' worth of time that other processes used
  double steal_share = 0;  // of all cores' time: taken away by the host
  double slowdown = 1;     // median ÷ best of the repetitions
  int attempts = 1;        // of which the fastest is shown

  /// What a reader need not know: a tenth of a core, 1 % of the time, a quarter slower than possible.
  static constexpr double usual_cores = 0.1, usual_steal = 0.01, usual_slowdown = 1.25;
  [[nodiscard]] constexpr bool busy() const noexcept {
    return other_cores > usual_cores || steal_share > usual_steal || slowdown > usual_slowdown;
  }
  friend constexpr bool operator==(const disturbance&, const disturbance&) = default;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
