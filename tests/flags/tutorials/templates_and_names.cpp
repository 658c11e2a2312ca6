// SPDX-License-Identifier: MIT
// Last page of a typical tutorial: templates, arguments from a function, captured values, names made at run time,
// manual timing, and a custom main().
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

template <class Container>
static void BM_Accumulate(benchmark::State& state) {
  Container numbers(static_cast<std::size_t>(state.range(0)));
  std::iota(numbers.begin(), numbers.end(), typename Container::value_type(1));
  for (auto _ : state) {
    auto total = std::accumulate(numbers.begin(), numbers.end(), typename Container::value_type(0));
    benchmark::DoNotOptimize(total);
  }
  state.SetComplexityN(state.range(0));
}
static void PowersAndOneMore(benchmark::internal::Benchmark* b) {
  for (int n = 256; n <= 4096; n *= 4) b->Arg(n)->Arg(n + 1);
}
BENCHMARK_TEMPLATE(BM_Accumulate, std::vector<double>)->Apply(PowersAndOneMore)->Complexity();
BENCHMARK_TEMPLATE(BM_Accumulate, std::deque<std::uint32_t>)->Apply(PowersAndOneMore);

template <class Map, int Step>
static void BM_Lookup(benchmark::State& state) {
  Map map;
  for (int i = 0; i < 1024; ++i) map[i * Step] = i;
  int key = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(map.find(key));
    key = (key + Step) & 1023;
  }
}
BENCHMARK_TEMPLATE(BM_Lookup, std::map<int, int>, 1);
BENCHMARK_TEMPLATE(BM_Lookup, std::unordered_map<int, int, std::hash<int>, std::equal_to<int>>, 3);

template <class... Arguments>
static void BM_Replace(benchmark::State& state, Arguments&&... arguments) {
  const std::pair<char, std::string> what(arguments...);
  for (auto _ : state) {
    std::string text = what.second;
    std::replace(text.begin(), text.end(), what.first, '_');
    benchmark::DoNotOptimize(text.data());
  }
}
BENCHMARK_CAPTURE(BM_Replace, commas, ',', std::string(1000, ','));
BENCHMARK_CAPTURE(BM_Replace, nothing, '"', std::string("a, b and \"c\""));

static void BM_OwnClock(benchmark::State& state) {
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    benchmark::ClobberMemory();
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() + 1e-6);
  }
}
BENCHMARK(BM_OwnClock)->UseManualTime();

int main(int argc, char** argv) {
  for (const std::string unit : {"km/h", "\"mph\"", "m\\s", "nœuds"})
    benchmark::RegisterBenchmark(("convert to " + unit + ", exactly").c_str(), [](benchmark::State& state) {
      double speed = 1;
      for (auto _ : state) benchmark::DoNotOptimize(speed *= 1.0000001);
    });
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
