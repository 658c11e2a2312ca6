// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/roofline/ceiling.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Median, extremes, coefficient of variation and top gap of some samples; all zero if there are none. Of less than
/// three samples the smallest stands for the third largest.
[[nodiscard]] inline spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto n = samples.size();
  const double count = static_cast<double>(n), mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  double squares = 0;
  for (const double x : samples) squares += (x - mean) * (x - mean);
  const double deviation = n > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return {.median = median(samples),
          .min = samples.front(),
          .max = samples.back(),
          .cv = exactly(mean, 0) ? 0 : deviation / std::abs(mean),
          .samples = static_cast<int>(n),
          .top_gap = samples.back() > 0 ? 1 - samples[n - std::min<std::size_t>(n, 3)] / samples.back() : 0};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
