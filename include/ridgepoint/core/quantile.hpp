// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include <ridgepoint/core/error.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Returns the value below which the share q of the values is, interpolated between the two nearest.
/// Throws: value_error if there are no values or q is not 0 to 1.
/// Example: quantile({4, 1, 3, 2}, 0.5) == 2.5
[[nodiscard]] inline double quantile(std::vector<double> values, double q) {
  require<value_error>(!values.empty() && q >= 0 && q <= 1, "quantile: ", q, " of ", values.size(),
                       " values; must be 0 to 1 of at least 1");
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = (std::min)(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}
/// Returns the middle value, or the mean of the middle two. Throws: value_error without values.
[[nodiscard]] inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
