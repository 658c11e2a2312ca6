// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "results.hpp"

namespace measurement {

/// Names of benchmarks that another round can tell more of, in the order of their rows: an interval is wide, or there
/// were fewer rounds than ranks need to tell so many rows apart.
inline std::vector<std::string> unsettled(const std::vector<flags_row>& rows, double confidence = 0.95) {
  const std::size_t enough = enough_rounds(rows.size(), confidence);
  std::vector<std::string> names;
  for (const flags_row& row : rows)
    if ((row.compared.wide || row.compared.samples_a < enough) &&
        std::ranges::find(names, row.compared.name) == names.end())
      names.push_back(row.compared.name);
  return names;
}

}  // namespace measurement
