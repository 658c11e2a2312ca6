// SPDX-License-Identifier: MIT
// First page of a typical tutorial: creating and copying a string, growing vectors, and the growth of time with size.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

static void BM_StringCreation(benchmark::State& state) {
  for (auto _ : state) {
    std::string empty_string;
    benchmark::DoNotOptimize(empty_string);
  }
}
BENCHMARK(BM_StringCreation);

static void BM_StringCopy(benchmark::State& state) {
  const std::string x(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    std::string copy(x);
    benchmark::DoNotOptimize(copy.data());
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_StringCopy)->RangeMultiplier(16)->Range(1, 4 << 10);

static void BM_VectorPushBack(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<int> v;
    if (state.range(1) != 0) v.reserve(static_cast<std::size_t>(state.range(0)));
    for (int i = 0; i < state.range(0); ++i) v.push_back(i);
    benchmark::DoNotOptimize(v.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetLabel(state.range(1) != 0 ? "reserve(), \"then\" push_back()" : "push_back()");
}
BENCHMARK(BM_VectorPushBack)->ArgNames({"n", "reserve"})->ArgsProduct({{8, 512}, {0, 1}});

static void BM_Sort(benchmark::State& state) {
  std::vector<unsigned> v(static_cast<std::size_t>(state.range(0)));
  unsigned seed = 1;
  for (auto _ : state) {
    state.PauseTiming();
    for (unsigned& x : v) x = seed = seed * 1664525U + 1013904223U;
    state.ResumeTiming();
    std::sort(v.begin(), v.end());
    benchmark::DoNotOptimize(v.data());
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_Sort)
    ->RangeMultiplier(4)
    ->Range(64, 1 << 10)
    ->Complexity(benchmark::oNLogN)
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_MAIN();
