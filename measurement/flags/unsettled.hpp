// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "results.hpp"

namespace measurement {

/// Names of benchmarks that one more round than `rounds` can tell more of, in the order of their rows: those with a
/// wide interval, or all while rounds are fewer than ranks need to tell so many rows apart.
inline std::vector<std::string> unsettled(const std::vector<flags_row>& rows, std::size_t rounds,
                                          double confidence = 0.95) {
  const bool is_early = rounds < enough_rounds(rows.size(), confidence);
  std::vector<std::string> names;
  for (const flags_row& row : rows)
    if ((is_early || row.compared.wide) && std::ranges::find(names, row.compared.name) == names.end())
      names.push_back(row.compared.name);
  return names;
}

}  // namespace measurement
