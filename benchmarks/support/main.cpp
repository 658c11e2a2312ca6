// SPDX-License-Identifier: MIT
// main() of every bench_*: Google Benchmark's own, with environment data in the JSON's context and doubts on stderr.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <string>

#include "ceilings_budget.hpp"
#include "measurement/doubts.hpp"

namespace rp = ridgepoint;

/// Adds the environment as keys of the JSON's context; a key may occur only once.
static void add_context(const rp::environment& at) {
  const auto add = [](const std::string& key, const auto& value) {
    benchmark::AddCustomContext(key, rp::concat(value));
  };
  add("ridgepoint_version", at.version);
  add("cpu_model", at.cpu_model);
  add("hypervisor", at.hypervisor);
  add("governor", at.governor);
  add("compiler", at.compiler);
  add("cores_allowed", at.cores_allowed);
  add("cores_quota", at.cores_quota);
  add("load_1min", at.load_1min);
  add("ticks", at.ticks);
  add("steal_ticks", at.steal_ticks);
  add("mxcsr", at.mxcsr);
  add("debug_build", at.debug_build);
  add("fast_math", at.fast_math);
  for (const std::string& variable : at.variables) {  // NAME=value
    const std::size_t equals = variable.find('=');
    add("variable." + variable.substr(0, equals), variable.substr(equals + 1));
  }
}

/// Defined by each benchmark program: registers its benchmarks.
void register_benchmarks();

int main(int argc, char** argv) {
  const rp::environment at = rp::observe_environment();
  measurement::say_doubts(at);
  add_context(at);
  try {
    register_benchmarks();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
  bench::shorten_ceilings(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::size_t selected = benchmark::RunSpecifiedBenchmarks();
  measurement::say_stolen_time(at);
  benchmark::Shutdown();
  if (selected != 0) return 0;
  std::fprintf(stderr,
               "--benchmark_filter: selects no row; must match one of those that --benchmark_list_tests names\n");
  return 2;
}
