// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace bench {

/// Time budget for measuring the ceilings of one instruction set.
inline double ceilings_budget_s = 2;

/// Limits the ceilings budget to 200 times --benchmark_min_time (default 0.5 s), so that short benchmarks stay short.
inline void shorten_ceilings(int argc, const char* const* argv) {
  constexpr std::string_view option = "--benchmark_min_time=";
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with(option))
      ceilings_budget_s = std::min(ceilings_budget_s, 200 * std::atof(argv[i] + option.size()));
}

}  // namespace bench
