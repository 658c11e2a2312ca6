// SPDX-License-Identifier: MIT
#include <ridgepoint/gpu/platform.hpp>

#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/gpu/step.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace gpu = ridgepoint::gpu;
using gpu::number_format;

TEST_CASE("gpu chips: every published chip is valid, and its figures match its machine") {
  CHECK(gpu::published_chips().size() == 6);
  for (const gpu::chip& c : gpu::published_chips()) {
    CAPTURE(c.name);
    CHECK_NOTHROW(check(gpu::platform{c, gpu::find_software("recorded")}));
    CHECK(c.multiprocessors > 0);
    const rp::machine& m = rp::find_machine(c.machine);
    const double gpus = c.name == "k80" ? 2 : 1;
    CHECK(m.peak({.dtype = "f32"})->per_s == near(gpus * c.f32_flop_per_s));
    CHECK(m.bandwidth(m.levels().front())->per_s == near(gpus * c.memory_bytes_per_s));
    CHECK_FALSE(c.fit.source.empty());
  }
}

TEST_CASE("gpu chips: data sheet peaks without sparsity; no tensor cores before V100, no TF32 before A100") {
  const auto peak = [](const char* name, number_format f) { return gpu::find_chip(name).peak_flop_per_s(f) / 1e12; };
  CHECK(peak("k80", number_format::f32) == near(4.37));
  CHECK(peak("p100", number_format::f16) == 0);
  CHECK(peak("v100", number_format::f16) == near(125));
  CHECK(peak("v100", number_format::tf32) == 0);
  CHECK(peak("a100", number_format::tf32) == near(156));
  CHECK(peak("h100", number_format::f16) == near(989.5));
  CHECK(peak("h200", number_format::f32) == near(67));
  // FMA lanes · 2 · clock: 128 lanes of 132 multiprocessors at 1.98 GHz
  CHECK(peak("h200", number_format::f32) == near(132 * 128 * 2 * 1.98e9 / 1e12, 0.01));
  CHECK(peak("v100", number_format::f32) == near(80 * 64 * 2 * 1.53e9 / 1e12, 0.01));
}

TEST_CASE("gpu chips: an unknown name lists the known ones; a format without units is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(gpu::find_chip("v99")), doctest::Contains("k80, p100, v100, a100, h100, h200"),
                       rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(gpu::find_software("mxnet")), doctest::Contains("tensorflow, keras"),
                       rp::value_error);
  gpu::platform p{gpu::find_chip("p100"), gpu::find_software("keras"), number_format::f16};
  CHECK_THROWS_WITH_AS(check(p), doctest::Contains("p100: has no units for f16"), rp::value_error);
  p.in = number_format::f32;
  CHECK_NOTHROW(check(p));
  p.on.fit.stream_share = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(check(p), doctest::Contains("stream_share"), rp::value_error);
}

TEST_CASE("gpu chips: measured ceilings replace the data sheet's, without fitted values") {
  rp::machine m = rp::find_machine("v100");
  m.name = "measured";
  for (rp::ceiling& c : m.ceilings) c.per_s *= 0.75;
  const gpu::chip &sheet = gpu::find_chip("v100"), measured = with_ceilings(sheet, m);
  CHECK(measured.f16_flop_per_s == near(0.75 * sheet.f16_flop_per_s));
  CHECK(measured.f32_flop_per_s == near(0.75 * sheet.f32_flop_per_s));
  CHECK(measured.memory_bytes_per_s == near(0.75 * sheet.memory_bytes_per_s));
  CHECK(measured.fit.product_share == 1);
  CHECK(measured.fit.stream_share == 1);
  CHECK(measured.multiprocessors == sheet.multiprocessors);
  m.ceilings.clear();
  CHECK_THROWS_WITH_AS(static_cast<void>(with_ceilings(sheet, m)), doctest::Contains("measured has no memory"),
                       rp::value_error);
}
