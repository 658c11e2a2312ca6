// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <ridgepoint/core/quantile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// How far predictions are from measurements, relative to the measurements.
struct agreement {
  std::size_t rows = 0;
  double median_error = 0;              // of |predicted / measured − 1|
  double bias = 0;                      // median of predicted / measured − 1
  double within_10 = 0, within_25 = 0;  // share of rows
  double worst = 0;                     // largest |error|
  double r2_log = 0;                    // of log predicted against log measured
};

/// Throws: value_error unless there are equally many of both, at least one, and all are positive.
[[nodiscard]] inline agreement agree(const std::vector<double>& predicted, const std::vector<double>& measured) {
  require<value_error>(predicted.size() == measured.size() && !measured.empty(), "agree: ", predicted.size(),
                       " predictions for ", measured.size(), " measurements; must be equally many, at least 1");
  agreement a{.rows = measured.size()};
  std::vector<double> error, magnitude;
  double mean_log = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    require<value_error>(predicted[i] > 0 && measured[i] > 0, "agree: predicted ", predicted[i], ", measured ",
                         measured[i], "; both must be > 0");
    error.push_back(predicted[i] / measured[i] - 1);
    magnitude.push_back(std::abs(error.back()));
    mean_log += std::log(measured[i]) / static_cast<double>(measured.size());
  }
  double residual = 0, total = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    residual += std::pow(std::log(predicted[i] / measured[i]), 2);
    total += std::pow(std::log(measured[i]) - mean_log, 2);
  }
  const auto share = [&](double limit) {
    const auto within = std::count_if(magnitude.begin(), magnitude.end(), [&](double e) { return e <= limit; });
    return static_cast<double>(within) / static_cast<double>(magnitude.size());
  };
  a.median_error = median(magnitude), a.bias = median(error);
  a.within_10 = share(0.10), a.within_25 = share(0.25);
  a.worst = *std::max_element(magnitude.begin(), magnitude.end());
  a.r2_log = total > 0 ? 1 - residual / total : 0;
  return a;
}

/// Where a function with one valley in [low, high] is lowest, by golden section; the same steps on every machine.
template <class Cost>
[[nodiscard]] double lowest(const Cost& cost, double low, double high, int steps = 40) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double x = high - ratio * (high - low), y = low + ratio * (high - low), at_x = cost(x), at_y = cost(y);
  for (int i = 0; i < steps; ++i) {
    if (at_x < at_y) {
      high = y, y = x, at_y = at_x;
      x = high - ratio * (high - low), at_x = cost(x);
    } else {
      low = x, x = y, at_x = at_y;
      y = low + ratio * (high - low), at_y = cost(y);
    }
  }
  return (low + high) / 2;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
