// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/core/random.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::study {

/// Where a figure lies, with the confidence it was asked for.
struct interval {
  double low = 0, high = 0;

  [[nodiscard]] constexpr bool contains(double x) const noexcept { return low <= x && x <= high; }
  [[nodiscard]] constexpr bool within(interval outer) const noexcept { return outer.low <= low && high <= outer.high; }
  [[nodiscard]] constexpr double half_width() const noexcept { return (high - low) / 2; }
};

/// How an interval is drawn. 2000 resamples leave 50 beyond each end of a 95 % interval, which places the ends to a
/// hundredth of its width; the same seed draws the same interval on every machine.
struct bootstrap_options {
  double confidence = 0.95;
  int resamples = 2000;
  std::uint64_t seed = 1;
};

/// Interval of a figure by the percentile bootstrap: `resampled(random)` is the figure of samples that were drawn again
/// from the samples, with replacement. What they say in the middle share `confidence` of the draws is the interval.
///
/// Percentiles and not BCa: its acceleration is a jackknife, which is no estimate for a median.
/// Throws: value_error unless confidence lies between 0 and 1 and there are resamples.
template <class Resampled>
[[nodiscard]] interval bootstrap(const Resampled& resampled, const bootstrap_options& options = {}) {
  require<value_error>(options.confidence > 0 && options.confidence < 1, "bootstrap: confidence is ",
                       options.confidence, "; must lie between 0 and 1");
  require<value_error>(options.resamples >= 1, "bootstrap: ", options.resamples, " resamples; must be at least 1");
  random_stream random(options.seed);
  std::vector<double> figures(static_cast<std::size_t>(options.resamples));
  for (double& figure : figures) figure = resampled(random);
  const double tail = (1 - options.confidence) / 2;
  return {.low = quantile(figures, tail), .high = quantile(figures, 1 - tail)};
}

/// The median of as many samples drawn again from the samples, with replacement.
/// Throws: value_error if there are none.
[[nodiscard]] inline double resampled_median(const std::vector<double>& samples, random_stream& random) {
  std::vector<double> drawn(samples.size());
  for (double& sample : drawn) sample = samples[random.below(static_cast<std::uint32_t>(samples.size()))];
  return median(std::move(drawn));
}

/// Interval of the median. Throws: value_error if there are no samples.
[[nodiscard]] inline interval median_interval(const std::vector<double>& samples,
                                              const bootstrap_options& options = {}) {
  return bootstrap([&](random_stream& random) { return resampled_median(samples, random); }, options);
}

/// Interval of median(above) ÷ median(below), samples that have nothing to do with each other.
/// Throws: value_error if there are none of one.
[[nodiscard]] inline interval median_ratio_interval(const std::vector<double>& above, const std::vector<double>& below,
                                                    const bootstrap_options& options = {}) {
  const auto ratio = [&](random_stream& random) {
    const double numerator = resampled_median(above, random);
    return numerator / resampled_median(below, random);
  };
  return bootstrap(ratio, options);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::study
