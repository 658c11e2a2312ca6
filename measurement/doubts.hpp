// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/roofline/environment.hpp>

namespace measurement {

/// Prints each reason to doubt a measurement on stderr, except those already in `said`.
inline void say_doubts(const std::vector<std::string>& doubts, const std::vector<std::string>& said = {}) {
  for (const std::string& doubt : doubts)
    if (std::ranges::find(said, doubt) == said.end())
      std::cerr << "suspicious: " << ridgepoint::printable(doubt) << '\n';
}
/// Call before measuring.
inline void say_doubts(const ridgepoint::environment& at) { say_doubts(ridgepoint::suspicions(at)); }
/// Call after measuring: returns the share of the time since then that the host took away; warns on stderr if
/// suspicious.
inline double say_stolen_time(const ridgepoint::environment& since) {
  ridgepoint::environment now = since;
  now.steal_share = ridgepoint::steal_share(since, ridgepoint::observe_environment());
  say_doubts(ridgepoint::suspicions(now), ridgepoint::suspicions(since));
  return now.steal_share;
}

}  // namespace measurement
