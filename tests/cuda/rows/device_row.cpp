// SPDX-License-Identifier: MIT
// A row of bench_cuda on a fake GPU, on which everything takes a quarter of a second.
#include "benchmarks/support/device_row.hpp"

#include <doctest/doctest.h>

#include "cuda/fake_case.hpp"
#include "support/kept_runs.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;

namespace {

/// Returns a machine that copies 1 MB/s through a cache of 64 KiB, and a tenth of that through memory; 1 TFLOP/s, 0.1
/// MFLOP/s in bf16.
rp::machine slow_machine() {
  rp::machine m;
  m.name = "slow";
  for (const char* const level : {"L2", "DRAM"}) {
    rp::ceiling c;
    c.kind = rp::ceiling_kind::bandwidth;
    c.operation = "copy";
    c.level = level;
    c.capacity_bytes = level[0] == 'L' ? 1 << 16 : 0;
    c.per_s = level[0] == 'L' ? 1e6 : 1e5;
    m.ceilings.push_back(c);
  }
  for (const char* const dtype : {"f32", "bf16"}) {
    rp::ceiling c;
    c.operation = "fma";
    c.dtype = dtype;
    c.per_s = dtype[0] == 'f' ? 1e12 : 1e5;
    m.ceilings.push_back(c);
  }
  return m;
}

/// Returns the row as reported; fake::calls() has the calls to the device.
benchmark::BenchmarkReporter::Run reported(const char* meter, const bench::device_row& row) {
  const rp::machine ceilings = slow_machine();
  const measurement::gpu_meter driver("0000:1b:00.0", meter);
  const bench::known_gpu gpu{.on = fake_gpu(), .ceilings = ceilings, .meter = driver};
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("row", [&](benchmark::State& state) { bench::time_on_device(state, gpu, row); })
      ->UseManualTime()
      ->Iterations(3);
  fake::reset();
  kept_runs kept;
  benchmark::RunSpecifiedBenchmarks(&kept);
  REQUIRE(kept.runs.size() == 1);
  return kept.runs[0];
}
/// Returns the launches and the device's events: "L" and "E".
std::string last_calls() {
  std::string all;
  for (const std::string& call : fake::calls())
    all += call == "cudaLaunchKernel" ? "L" : call == "cudaEventRecord" ? "E" : "";
  return all;
}

}  // namespace

TEST_CASE("a row of bench_cuda: events enclose only calls with warm caches; with cold ones, writes come first") {
  const peer::words relu = peer::split("map f32 relu 8 16");  // 1 KiB
  const auto warm = reported(FAKE_NVML, {.problem = relu, .dtype = "f32"});
  CHECK(last_calls().find("ELEELEELEL") != std::string::npos);  // the driver's queries follow
  CHECK(warm.counters.at("call_s") == near(0.25));
  CHECK(warm.counters.at("bytes") == 1024);
  CHECK(warm.counters.at("bytes_per_s") == near(4096));
  CHECK(warm.counters.at("roof_percent") == near(100 * 4096 / 1e6));
  CHECK(warm.counters.at("sm_hz") == 1980e6);
  CHECK(warm.counters.at("memory_hz") == 2619e6);
  CHECK(warm.counters.at("power_w") == 612.5);

  const auto cold = reported("libabsent.so.1", {.problem = relu, .dtype = "f32", .are = bench::caches::cold});
  CHECK(last_calls().ends_with("LELELELELELE"));
  CHECK(cold.counters.at("call_s") == near(0.25));
  CHECK(cold.counters.at("bytes_per_s") == near(4096));
  CHECK(cold.counters.at("roof_percent") == near(100 * 4096 / 1e5));
  for (const char* const absent : {"sm_hz", "memory_hz", "power_w"}) CHECK_FALSE(cold.counters.contains(absent));
}

TEST_CASE("a row of bench_cuda is compared with the peak of its type") {
  const auto product = reported(FAKE_NVML, {.problem = peer::split("gemm bf16 nn 16 16 16"), .dtype = "bf16"});
  CHECK(product.counters.at("flop") == 2 * 16 * 16 * 16);
  CHECK(product.counters.at("roof_percent") == near(100 * 8192 / 0.25 / 1e5));
}
