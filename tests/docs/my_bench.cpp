// SPDX-License-Identifier: MIT
// Program measured in docs/flags.md. Uses nothing of this library.
#include <benchmark/benchmark.h>

#include <vector>

static void scale(benchmark::State& state) {
  std::vector<float> x(4096, 1.0F);
  for (auto _ : state) {
    for (float& v : x) v = 0.5F * v + 1.0F;
    benchmark::ClobberMemory();
  }
}
BENCHMARK(scale);

static void sum(benchmark::State& state) {
  const std::vector<float> x(4096, 1.0F);
  for (auto _ : state) {
    float total = 0;
    for (const float v : x) total += v;
    benchmark::DoNotOptimize(total);
  }
}
BENCHMARK(sum);
