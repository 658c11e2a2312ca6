// SPDX-License-Identifier: MIT
// Second page of a typical tutorial: fixtures shared by several benchmarks, and multithreaded benchmarks.
#include <benchmark/benchmark.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

class DictionaryFixture : public benchmark::Fixture {
 public:
  void SetUp(const benchmark::State& state) override {
    if (state.thread_index() != 0) return;
    for (int i = 0; i < 1000; ++i) words[std::to_string(i * 7919 % 1000)] = i;
  }
  void TearDown(const benchmark::State& state) override {
    if (state.thread_index() == 0) words.clear();
  }

 protected:
  std::map<std::string, int> words;
};

BENCHMARK_F(DictionaryFixture, Find)(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(words.find("517"));
}

BENCHMARK_DEFINE_F(DictionaryFixture, Count)(benchmark::State& state) {
  for (auto _ : state) {
    long total = 0;
    for (const auto& word : words)
      if (word.second < state.range(0)) total += word.second;
    benchmark::DoNotOptimize(total);
  }
  state.counters["words"] = static_cast<double>(words.size());
  state.counters["rate"] =
      benchmark::Counter(static_cast<double>(words.size()), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_REGISTER_F(DictionaryFixture, Count)->Arg(10)->Arg(1000)->Repetitions(3)->ReportAggregatesOnly(true);

static std::atomic<int> shared_count{0};

static void BM_AtomicIncrement(benchmark::State& state) {
  for (auto _ : state) shared_count.fetch_add(1, std::memory_order_relaxed);
}
BENCHMARK(BM_AtomicIncrement)->Threads(1)->Threads(2)->UseRealTime();

static void BM_Mutex(benchmark::State& state) {
  static std::mutex mutex;
  static long guarded = 0;
  for (auto _ : state) {
    const std::lock_guard<std::mutex> lock(mutex);
    benchmark::DoNotOptimize(++guarded);
  }
}
BENCHMARK(BM_Mutex)->ThreadRange(1, 2)->Iterations(2000);
