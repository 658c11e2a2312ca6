// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <numbers>

#include <ridgepoint/study/comparison.hpp>

/// Simulates times on a shared host: the program's time, multiplied by
///   - a factor common to all at this moment (clock, neighbours): exp of an AR(1) of coefficient 0.9 and 3 % deviation,
///   - a factor of each call: exp of 1 % normal noise,
///   - and in one call of ten, stolen time: an exponential of 10 % more.
class shared_host {
 public:
  explicit shared_host(std::uint64_t stream) : random_(2024, stream) {}

  [[nodiscard]] double normal() {
    const double u = 1 - random_.uniform(), v = random_.uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
  }
  void moment_passes() { moment_ = 0.9 * moment_ + std::sqrt(1 - 0.9 * 0.9) * 0.03 * normal(); }
  [[nodiscard]] double time(double needed_s) {
    const double taken = random_.uniform() < 0.1 ? -0.1 * std::log(1 - random_.uniform()) : 0;
    return needed_s * std::exp(moment_ + 0.01 * normal()) * (1 + taken);
  }
  /// Runs two programs in turn, B's time being `ratio` times A's; compares by round.
  [[nodiscard]] ridgepoint::study::compared_row turns(int rounds, double ratio) {
    ridgepoint::study::measured_row a{.name = "a"}, b{.name = "a"};
    for (int i = 0; i < rounds; ++i) {
      moment_passes();
      a.samples.push_back(time(1e-3));
      b.samples.push_back(time(ratio * 1e-3));
    }
    return measure_difference(a, b, options);
  }

  static constexpr ridgepoint::study::comparison_options options{.pairing = ridgepoint::study::pairing::by_round,
                                                                 .bootstrap = {.resamples = 500}};

 private:
  ridgepoint::random_stream random_;
  double moment_ = 0;
};
