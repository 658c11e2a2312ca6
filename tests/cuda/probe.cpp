// SPDX-License-Identifier: MIT
#include <ridgepoint/cuda/probe.hpp>

#include <doctest/doctest.h>

#include <ridgepoint/cuda/probe_ops.hpp>

#include "fake_case.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;

TEST_CASE("probe: a GPU's ceilings are work divided by the device's time") {
  const rp::gpu_probe_options few{
      .rounds = 3, .memory_bytes = 1 << 16, .product = 16, .chain_rounds = 5, .launches = 10};
  const rp::probed_gpu probed = rp::probe(rp::cuda(), few);  // every measurement takes 0.25 s on the fake
  const rp::machine& m = probed.machine;
  CHECK(m.name == "cuda.a fake GPU");
  CHECK(m.clock_hz == 1e9);
  const double threads = 4 * 8 * 256;
  for (const char* const dtype : {"f32", "f64"}) {
    const auto fma = std::find_if(m.ceilings.begin(), m.ceilings.end(),
                                  [&](const rp::ceiling& c) { return c.dtype == dtype && c.operation == "fma"; });
    REQUIRE(fma != m.ceilings.end());
    CHECK(fma->per_s == near(16 * 5 * threads / 0.25));
    CHECK(fma->measured->samples == 3);
  }
  for (const char* const dtype : {"tf32", "bf16"})
    CHECK(m.peak({.dtype = dtype})->per_s == near(2 * 16 * 16 * 16 / 0.25));
  CHECK(m.levels() == std::vector<std::string>{"L2", "DRAM"});
  CHECK(m.bandwidth("L2")->per_s == near(2 * 50 * (1 << 14) / 0.25));
  CHECK(m.bandwidth("DRAM")->per_s == near(2 * (1 << 16) / 0.25));
  CHECK(probed.launch_s == near(0.025));
  CHECK(probed.recorded_launch_s == near(0.025));
  CHECK(m.launch_s == probed.recorded_launch_s);
}

TEST_CASE("probe: copies write the destination, reads leave the source unchanged") {
  const rp::cuda& on = fake_gpu();
  std::vector<std::uint32_t> from(64), to(64);
  for (std::uint32_t i = 0; i < 64; ++i) from[i] = i;
  rp::gpu_stream_args args{.passes = 2, .words = 16, .from = from.data(), .to = to.data(), .threads = 256};
  execute(on, args);
  CHECK(to == from);
  args.kind = rp::gpu_stream_args::way::write;
  execute(on, args);
  CHECK(to == std::vector<std::uint32_t>(64, 1));
  CHECK(from[63] == 63);
}
