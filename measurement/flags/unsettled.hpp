// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "results.hpp"

namespace measurement {

/// Returns the benchmarks for which more than `rounds` rounds can change the verdict, in the order of their rows:
/// those with a wide interval, or all while there are fewer rounds than ranks need to distinguish so many rows.
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
