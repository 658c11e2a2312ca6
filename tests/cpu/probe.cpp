// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/cpu/probe_ops.hpp>
#include <ridgepoint/roofline/machine.hpp>

namespace rp = ridgepoint;

TEST_CASE("a probe finds every ceiling of the CPU's strongest instruction set, all positive") {
  const rp::native_cpu on(2);
  const rp::machine m = rp::probe(on, {.rounds = 2, .windows = 2, .window_s = 20e-6, .max_bytes = 8 << 20});
  CHECK_NOTHROW(rp::check(m));
  CHECK(m.clock_hz > 1e8);
  const std::string all = rp::simd::cpu_isas(), isa = all.substr(all.rfind(' ') + 1);  // may differ from this file's
  const bool weaker = isa != rp::simd::native::name;
  CHECK((m.description.find(rp::concat("this build: ", rp::simd::native::name)) != std::string::npos) == weaker);
  for (const int threads : {1, 2}) {
    for (const char* dtype : {"f32", "f64"}) {
      const rp::ceiling* peak = m.peak({.dtype = dtype, .isa = isa, .threads = threads});
      REQUIRE(peak != nullptr);
      CHECK(peak->isa == isa);
      CHECK(peak->threads == threads);
      CHECK(peak->measured->samples >= 2);
    }
    for (const std::string& level : m.levels()) CHECK(m.bandwidth(level, {.threads = threads})->threads == threads);
  }
  const rp::simd::bfloat16_speed speed = rp::simd::cpu_speed_of_bfloat16();
  const bool faster =
      isa == "avx512" && (speed == rp::simd::bfloat16_speed::twice || speed == rp::simd::bfloat16_speed::tiles);
  const rp::ceiling *halves = m.peak({.dtype = "bf16", .threads = 1}), *floats = m.peak({.threads = 1});
  CHECK(halves->dtype == (faster ? "bf16" : "f32"));
  if (faster) CHECK(halves->per_s > floats->per_s);
  for (const rp::ceiling& c : m.ceilings) CHECK((c.set_bytes > 0) == (c.kind == rp::ceiling_kind::bandwidth));
  CHECK(m.levels().front() == "L1");
  CHECK(m.levels().back() == "DRAM");
  for (const std::string& doubt : rp::suspicions(m)) MESSAGE(doubt);
}

TEST_CASE("a probe refuses invalid options") {
  const rp::native_cpu on(1);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::probe(on, {.rounds = 0})), doctest::Contains("rounds is 0"),
                       rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(rp::probe(on, {.window_s = -1})), rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::probe(on, {.max_bytes = 4096})), doctest::Contains("must be >= 1048576"),
                       rp::value_error);
}
