// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace bench {

/// For how long the ceilings of an instruction set are measured.
inline double ceilings_budget_s = 2;

/// Short benchmarks get short ceilings: at most 200 times --benchmark_min_time, which is 0.5 s where nobody says it.
inline void shorten_ceilings(int argc, const char* const* argv) {
  constexpr std::string_view option = "--benchmark_min_time=";
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with(option))
      ceilings_budget_s = std::min(ceilings_budget_s, 200 * std::atof(argv[i] + option.size()));
}

}  // namespace bench
