// SPDX-License-Identifier: MIT
// bench_region: the overhead of a region around a kernel. Names: region/recorded/8names (a recorder that knows 8
// names; the benchmark uses the last one), region/compiled_out (as with RIDGEPOINT_NO_REGIONS).
#include <benchmark/benchmark.h>

#include <ridgepoint/roofline/region.hpp>

namespace rp = ridgepoint;

namespace {

template <bool On>
void region(benchmark::State& state, std::size_t names) {
  static constexpr const char* known[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  rp::recorder recorder;
  for (std::size_t i = 0; i < names; ++i) recorder.add(known[i], {}, 0);
  rp::work receipt{.flop = 1, .bytes = {.inputs = 1}};
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(receipt);
    const rp::basic_region<On> r(recorder, known[names - 1], receipt);
  }
}

}  // namespace

void register_benchmarks();
void register_benchmarks() {
  for (const std::size_t names : {1U, 8U})
    benchmark::RegisterBenchmark(rp::concat("region/recorded/", names, "names").c_str(),
                                 [=](benchmark::State& state) { region<true>(state, names); });
  benchmark::RegisterBenchmark("region/compiled_out", [](benchmark::State& state) { region<false>(state, 1); });
}
