// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "bench_rounds.hpp"

namespace tool {

/// The error of our planner: predicted ÷ measured time, over the rows with a prediction.
///
/// The planner predicts cycles, not seconds, so the ratios are scaled to a median of 1. A planner chooses well if the
/// ratios are similar, whatever their median.
struct planner_error {
  std::size_t shapes = 0;           // with a prediction; 0: no planner error
  double cycles_per_s = 0;          // predicted cycles ÷ measured time at the median
  double tenth = 0, ninetieth = 0;  // 10th and 90th percentile of the ratios

  /// Returns predicted ÷ measured time of one row, scaled; 0 without a prediction.
  [[nodiscard]] double of(const bench_row& row, const std::string& ours) const;
};

[[nodiscard]] planner_error planner_error_of(const std::vector<bench_row>& rows, const std::string& ours);

/// Returns "planner: predicted / measured time of 153 shapes, …"; needs one shape or more.
[[nodiscard]] std::string to_string(const planner_error& error);

}  // namespace tool
