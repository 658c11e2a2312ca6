// SPDX-License-Identifier: MIT
// Benchmarks of several kinds that do WORK_PERCENT % of their work: planted slowdowns of known size.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

/// Returns WORK_PERCENT % of a number.
constexpr std::size_t share(std::size_t of_hundred) { return of_hundred * WORK_PERCENT / 100; }

void latency(benchmark::State& state) {
  double x = 1;
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t i = 0; i < share(10'000); ++i) x = x * 0.999 + 0.001;
    benchmark::DoNotOptimize(x);
  }
}
BENCHMARK(latency);

void division(benchmark::State& state) {
  std::vector<double> x(share(4'000), 3.0);
  for ([[maybe_unused]] auto _ : state) {
    for (double& v : x) v = 1.0 / v + 0.5;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(division);

void stream(benchmark::State& state) {
  std::vector<float> x(1 << 22, 1.0F), y(x);
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t i = 0; i < share(1'000'000); ++i) y[i] = 0.5F * x[i] + y[i];
    benchmark::ClobberMemory();
  }
}
BENCHMARK(stream);

void in_cache(benchmark::State& state) {
  std::vector<std::int32_t> x(2'000, 1);
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t pass = 0; pass < share(100); ++pass) {
      for (std::int32_t& v : x) v = v * 5 + 3;
      benchmark::ClobberMemory();
    }
  }
}
BENCHMARK(in_cache);

void branches(benchmark::State& state) {
  std::uint32_t random = 1;
  std::uint64_t count = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t i = 0; i < share(10'000); ++i) {
      random = random * 1664525U + 1013904223U;
      if ((random >> 24) % 3 == 0) count += random & 15;
      else count ^= random;
    }
    benchmark::DoNotOptimize(count);
  }
}
BENCHMARK(branches);

void calls(benchmark::State& state) {
  std::unordered_map<std::string, int> counts;
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t i = 0; i < share(1'000); ++i) ++counts["word " + std::to_string(i % 100)];
    benchmark::ClobberMemory();
  }
}
BENCHMARK(calls);

void heap(benchmark::State& state) {
  std::vector<std::uint32_t> values(share(4'000));
  for ([[maybe_unused]] auto _ : state) {
    std::uint32_t random = 7;
    for (std::uint32_t& v : values) v = random = random * 1664525U + 1013904223U;
    std::ranges::make_heap(values);
    benchmark::DoNotOptimize(values.data());
  }
}
BENCHMARK(heap);

void pointers(benchmark::State& state) {
  std::vector<std::uint32_t> next(1 << 14);
  std::iota(next.begin(), next.end(), 1U);
  next.back() = 0;
  std::uint32_t at = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t i = 0; i < share(10'000); ++i) at = next[at];
    benchmark::DoNotOptimize(at);
  }
}
BENCHMARK(pointers);

}  // namespace
