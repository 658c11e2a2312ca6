// SPDX-License-Identifier: MIT
#include <ridgepoint/study/comparison.hpp>

#include <doctest/doctest.h>

#include "study/shared_host.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;

namespace {

/// Returns the share of 200 intervals that contain 1; interval_of(host) draws samples whose true value is 1.
template <class IntervalOf>
double coverage(const IntervalOf& interval_of) {
  int held = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    shared_host random(trial);
    held += interval_of(random).contains(1) ? 1 : 0;
  }
  return held / 200.0;
}
std::vector<double> lognormal(shared_host& random, int count, double deviation) {
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) samples.push_back(std::exp(deviation * random.normal()));
  return samples;
}

}  // namespace

TEST_CASE("bootstrap: 95 % intervals contain the ratio of lognormal medians in 90 to 99 % of trials") {
  for (const int count : {5, 12, 30})
    for (const double deviation : {0.02, 0.5}) {
      CAPTURE(count);
      CAPTURE(deviation);
      const double of_ratio = coverage([&](shared_host& random) {
        const std::vector<double> above = lognormal(random, count, deviation);
        return study::median_ratio_interval(above, lognormal(random, count, deviation), {.resamples = 500});
      });
      const double of_median = coverage([&](shared_host& random) {
        return study::median_interval(lognormal(random, count, deviation), {.resamples = 500});
      });
      CHECK(of_ratio >= 0.90);
      CHECK(of_ratio <= 0.99);
      CHECK(of_median >= 0.90);
      CHECK(of_median <= 0.99);
    }
}

TEST_CASE("bootstrap: the same seed draws the same interval, within the samples, narrower for less confidence") {
  const std::vector<double> samples{3, 1, 4, 1.5, 9, 2.6};
  const study::interval once = study::median_interval(samples), again = study::median_interval(samples);
  CHECK(once.low == again.low);
  CHECK(once.high == again.high);
  CHECK(once.within({.low = 1, .high = 9}));
  CHECK(once.contains(rp::median(samples)));
  CHECK(study::median_interval(samples, {.confidence = 0.5}).half_width() < once.half_width());
  CHECK(study::median_interval({2, 2, 2}).half_width() == 0);
  CHECK(study::median_ratio_interval({2, 2}, {4, 4}).low == 0.5);
}

TEST_CASE("bootstrap: invalid samples and options are refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(study::median_interval({1}, {.confidence = 95})),
                       "bootstrap: confidence is 95; must be between 0 and 1", rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(study::median_interval({1}, {.resamples = 0})),
                       "bootstrap: 0 resamples; must be at least 1", rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(study::median_interval({})), rp::value_error);
}
