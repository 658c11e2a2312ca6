// SPDX-License-Identifier: MIT
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <type_traits>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/roofline/placement.hpp>
#include <ridgepoint/roofline/spread.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// How long measure() repeats.
struct measure_options {
  double window_s = 100e-6;  // repeat within a window until it takes that long
  int windows = 30;          // at least
  double budget_s = 2;       // no new window after that
};

/// A callable, timed: seconds per call over the windows that were not interrupted.
struct measurement {
  work receipt = {};  // what the callable returned, if it returns one
  spread seconds = {};
  int interrupted = 0;   // windows thrown away: the scheduler stopped the thread
  bool trusted = false;  // at most one window in five was thrown away
};

/// Times op(): one call to warm up, then windows of as many calls as fill window_s. A window in which the calling
/// thread lost its core is thrown away and repeated while the budget lasts; if every window was, they count after all.
///
/// If op returns a `work`, it is kept as the receipt.
/// Throws: value_error unless windows, window_s and budget_s are positive; what op throws.
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

/// Where a measured callable lands; its median time counts.
[[nodiscard]] inline placement place(const machine& on, const measurement& m, const roof_query& query = {}) {
  return place(on, m.receipt, m.seconds.median, 0, query);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
