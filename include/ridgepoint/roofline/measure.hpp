// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include <sys/resource.h>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/quantile.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/placement.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Computes median, extremes, coefficient of variation and top gap of samples; all zero without samples. With fewer
/// than three samples, the smallest replaces the third largest.
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

/// Repetition limits of measure().
struct measure_options {
  double window_s = 100e-6;  // calls fill at least this time per window
  int windows = 30;          // minimum
  double budget_s = 2;       // no new window after that
};

/// Timing of a callable: seconds per call over the windows without interruption.
struct measurement {
  work receipt = {};  // returned by the callable, if it returns one
  spread seconds = {};
  int interrupted = 0;   // windows discarded: the scheduler stopped the thread
  bool trusted = false;  // at most one window in five was discarded
};

/// Times op(): one warm-up call, then windows of as many calls as fill window_s. A window in which the calling thread
/// lost its core is discarded and repeated while the budget lasts; if every window was, all of them count.
///
/// If op returns a `work`, it is kept as the receipt.
/// Throws: value_error unless windows, window_s and budget_s are positive; any exception of op.
/// Example:
///   const rp::measurement m = rp::measure([&] { return rp::gemm(on, a, b, c); });
///   rp::place(host, m).efficiency
template <class Op>
[[nodiscard]] measurement measure(Op&& op, const measure_options& options = {}) {
  require<value_error>(options.windows > 0 && options.window_s > 0 && options.budget_s > 0, "measure: windows is ",
                       options.windows, ", window_s ", options.window_s, ", budget_s ", options.budget_s,
                       "; must be > 0");
  using clock = std::chrono::steady_clock;
  measurement m;
  const auto window_s = [&](long calls) {
    const auto start = clock::now();
    for (long i = 0; i < calls; ++i) {
      if constexpr (std::is_same_v<std::invoke_result_t<Op&>, work>) m.receipt = op();
      else op();
      asm volatile("" ::: "memory");
    }
    return std::chrono::duration<double>(clock::now() - start).count();
  };
  const auto switches = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
  };

  static_cast<void>(window_s(1));  // warms up
  long calls = 1;
  while (window_s(calls) < options.window_s / 2 && calls < (1L << 40)) calls *= 2;
  std::vector<double> clean, disturbed;
  const auto end = clock::now() + std::chrono::duration<double>(options.budget_s);
  const auto none_yet = [&] { return clean.empty() && disturbed.empty(); };
  while (static_cast<int>(clean.size()) < options.windows && (none_yet() || clock::now() < end)) {
    const long before = switches();
    const double per_call_s = window_s(calls) / static_cast<double>(calls);
    (switches() == before ? clean : disturbed).push_back(per_call_s);
  }
  m.interrupted = static_cast<int>(disturbed.size());
  m.trusted = 4 * disturbed.size() <= clean.size();
  m.seconds = spread_of(clean.empty() ? disturbed : clean);
  return m;
}

/// Places a measured callable on the roofline by its median time.
[[nodiscard]] inline placement place(const machine& on, const measurement& m, const roof_query& query = {}) {
  return place(on, m.receipt, m.seconds.median, 0, query);
}

/// (aᵖ + bᵖ)^(1/p): combined time of two imperfectly overlapping activities; p = 0 means the maximum.
[[nodiscard]] inline double overlap(double a, double b, double exponent) noexcept {
  const double longer = (std::max)(a, b), shorter = (std::min)(a, b);
  if (exactly(exponent, 0) || shorter <= 0) return longer;
  return longer * std::pow(1 + std::pow(shorter / longer, exponent), 1 / exponent);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
