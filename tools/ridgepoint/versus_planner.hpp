// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "versus_rounds.hpp"

namespace tool {

/// How far our planner is off: predicted ÷ measured time, of the rows it made a prediction for.
///
/// It predicts cycles, which are no seconds; so the ratios are scaled to a median of 1. A planner chooses well if they
/// are alike, whatever their median.
struct planner_error {
  std::size_t shapes = 0;           // with a prediction; 0: nothing to say
  double cycles_per_s = 0;          // predicted cycles ÷ measured time at the median
  double tenth = 0, ninetieth = 0;  // a tenth of the shapes is below the one, a tenth above the other

  /// Predicted ÷ measured time of one row, scaled; 0 where nothing was predicted.
  [[nodiscard]] double of(const versus_row& row, const std::string& ours) const;
};

[[nodiscard]] planner_error planner_error_of(const std::vector<versus_row>& rows, const std::string& ours);

/// "planner: predicted / measured time of 153 shapes, …", of at least one.
[[nodiscard]] std::string to_string(const planner_error& error);

}  // namespace tool
