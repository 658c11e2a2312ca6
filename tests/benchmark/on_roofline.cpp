// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/benchmark/on_roofline.hpp>

#include "roofline/synthetic.hpp"
#include "support/kept_runs.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;

TEST_CASE("a benchmark of an op reports the four counters of its roofline placement") {
  const rp::machine host = synthetic::machine();
  const rp::roof_query query{.dtype = "f32", .isa = "avx2", .threads = 1};
  int executions = 0;
  benchmark::RegisterBenchmark("placed",
                               [&](benchmark::State& state) {
                                 rp::on_roofline(state, host, query, [&] {
                                   ++executions;
                                   return synthetic::work_of(1000, 4000);
                                 });
                               })
      ->UseRealTime()
      ->Iterations(3);
  benchmark::RegisterBenchmark("without arithmetic",
                               [&](benchmark::State& state) {
                                 for ([[maybe_unused]] auto _ : state) {
                                 }
                                 rp::roofline_counters(state, host, synthetic::work_of(0, 8000), 1e-6, 0, query);
                               })
      ->UseRealTime()
      ->Iterations(1);
  benchmark::RegisterBenchmark("in double",
                               [&](benchmark::State& state) {
                                 for ([[maybe_unused]] auto _ : state) {
                                 }
                                 rp::work product = synthetic::work_of(1'000'000, 1000);
                                 product.bytes.type = rp::element::f64;
                                 rp::roofline_counters(state, host, product, 1e-4, 0, {.threads = 1});
                               })
      ->UseRealTime()
      ->Iterations(1);
  kept_runs kept;
  benchmark::RunSpecifiedBenchmarks(&kept);

  REQUIRE(kept.runs.size() == 3);
  CHECK(executions >= 3);
  const auto& placed = kept.runs[0].counters;
  CHECK(placed.at("flop_per_byte") == 0.25);
  CHECK(placed.at("flop_per_s") > 0);
  CHECK(placed.at("bytes_per_s") == near(4 * placed.at("flop_per_s")));
  CHECK(placed.at("roof_percent") == near(100 * placed.at("flop_per_s") / 100e9));  // L1's ridge
  const auto& copy = kept.runs[1].counters;
  CHECK(copy.at("bytes_per_s") == near(8e9));
  CHECK(copy.at("roof_percent") == near(2));  // of 400 GB/s
  CHECK(kept.runs[1].report_label.find("L1") != std::string::npos);
  CHECK(kept.runs[2].counters.at("roof_percent") == near(20));  // of 50 GFLOP/s, the ceiling of f64
}
