// SPDX-License-Identifier: MIT
#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string_view>

#include <ridgepoint/roofline/work.hpp>

namespace flags {

/// Whether rows are to tell what is known of their results beside their time: not where RIDGEPOINT_FLAGS is `time`.
[[nodiscard]] inline bool wants_findings() {
  const char* const wanted = std::getenv("RIDGEPOINT_FLAGS");
  return wanted == nullptr || std::string_view(wanted) != "time";
}

/// The receipt of an iteration ÷ its time.
inline void set_rates(benchmark::State& state, const ridgepoint::work& receipt) {
  const auto set = [&](const char* name, std::uint64_t per_iteration) {
    state.counters[name] =
        benchmark::Counter(static_cast<double>(per_iteration), benchmark::Counter::kIsIterationInvariantRate);
  };
  set("flop_per_s", receipt.flop);
  set("bytes_per_s", receipt.bytes.total());
}

/// Runs what is registered; the exit code.
inline int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace flags
