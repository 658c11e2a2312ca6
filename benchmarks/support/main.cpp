// SPDX-License-Identifier: MIT
// main() of every bench_*: Google Benchmark's own, with the circumstances in the JSON's context and doubts on stderr.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>

#include <ridgepoint/roofline/environment.hpp>

namespace rp = ridgepoint;

/// Defined by each benchmark program: registers its benchmarks.
void register_benchmarks();

int main(int argc, char** argv) {
  const rp::environment at = rp::observe_environment();
  for (const std::string& doubt : rp::suspicions(at)) std::fprintf(stderr, "suspicious: %s\n", doubt.c_str());
  benchmark::AddCustomContext("ridgepoint_version", at.version);
  benchmark::AddCustomContext("cpu_model", at.cpu_model);
  benchmark::AddCustomContext("hypervisor", at.hypervisor);
  benchmark::AddCustomContext("compiler", at.compiler);
  benchmark::AddCustomContext("cores_allowed", rp::concat(at.cores_allowed));
  benchmark::AddCustomContext("mxcsr", rp::concat(at.mxcsr));
  for (const std::string& variable : at.variables) benchmark::AddCustomContext("variable", variable);
  try {
    register_benchmarks();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
