// SPDX-License-Identifier: MIT
#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string_view>

#include <ridgepoint/roofline/work.hpp>

namespace flags {

/// Returns true if rows report findings in addition to their time: RIDGEPOINT_FLAGS is not `time`.
[[nodiscard]] inline bool wants_findings() {
  const char* const wanted = std::getenv("RIDGEPOINT_FLAGS");
  return wanted == nullptr || std::string_view(wanted) != "time";
}

/// Sets the counters flop_per_s and bytes_per_s: the receipt of an iteration ÷ its time.
inline void set_rates(benchmark::State& state, const ridgepoint::work& receipt) {
  const auto set = [&](const char* name, std::uint64_t per_iteration) {
    state.counters[name] =
        benchmark::Counter(static_cast<double>(per_iteration), benchmark::Counter::kIsIterationInvariantRate);
  };
  set("flop_per_s", receipt.flop);
  set("bytes_per_s", receipt.bytes.total());
}

/// Runs the registered benchmarks; returns the exit code.
inline int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace flags
