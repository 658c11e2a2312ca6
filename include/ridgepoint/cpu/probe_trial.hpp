// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include <ridgepoint/kernels/probe/args.hpp>
#include <ridgepoint/roofline/spread.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// One candidate for a ceiling: a window of some length, run again and again.
///
/// Windows of 0.1 ms mostly fall between two interruptions, so the best of many is what the hardware can do; the spread
/// is over the bests of the rounds and says how well that repeats.
struct probe_trial {
  ceiling what;
  std::function<probe_result(std::int64_t length)> window;
  bool fixed_length = false;  // length stays 1
  std::int64_t warm_up = 0;   // windows before each round that are not counted
  std::int64_t length = 1;
  bool settled = false;  // needs no more rounds
  std::vector<double> round_bests = {};

  /// Warms up, then chooses the length at which a window takes window_s.
  void calibrate(double window_s) {
    if (fixed_length) return;
    const auto shortest_of_three_s = [&] {
      return (std::min)({window(length).elapsed_s, window(length).elapsed_s, window(length).elapsed_s});
    };
    double elapsed_s = 0;
    while ((elapsed_s = shortest_of_three_s()) < window_s / 2 && length < std::int64_t{1} << 40) length *= 2;
    length = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(length) * window_s / elapsed_s));
  }
  void run_round(int windows) {
    for (std::int64_t i = 0; i < warm_up; ++i) window(length);
    double best = 0;
    for (int i = 0; i < windows; ++i) {
      const probe_result r = window(length);
      if (r.elapsed_s > 0) best = (std::max)(best, static_cast<double>(r.count) / r.elapsed_s);
    }
    round_bests.push_back(best);
  }
  /// Whether the best sample is no outlier: others come near it.
  [[nodiscard]] bool is_repeatable() const { return spread_of(round_bests).top_gap < 0.05; }
  [[nodiscard]] ceiling result() const {
    ceiling c = what;
    c.measured = spread_of(round_bests);
    c.per_s = c.measured->max;
    return c;
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
