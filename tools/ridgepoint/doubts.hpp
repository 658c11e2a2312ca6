// SPDX-License-Identifier: MIT
#pragma once

#include <iostream>

#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/roofline/format.hpp>

namespace tool {

/// Before measuring: says on stderr what should make one doubt a measurement taken here.
inline void say_doubts(const ridgepoint::environment& at) {
  for (const std::string& doubt : ridgepoint::suspicions(at)) std::cerr << "suspicious: " << doubt << '\n';
}
/// After measuring: says on stderr if the host took more than a hundredth of the time since then away.
inline void say_stolen_time(const ridgepoint::environment& since) {
  const double stolen = ridgepoint::steal_share(since, ridgepoint::observe_environment());
  if (stolen <= 0.01) return;
  std::cerr << "suspicious: the host took " << ridgepoint::figures(100 * stolen) << " % of the time away\n";
}

}  // namespace tool
