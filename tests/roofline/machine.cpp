// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/roofline/machine.hpp>

#include "support/near.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("the requested ISA and threads select the ceiling") {
  const rp::machine m = synthetic::machine();
  CHECK(m.peak({.dtype = "f32", .isa = "avx2", .threads = 1})->per_s == 100e9);
  CHECK(m.peak({.dtype = "f32", .isa = "sse4_2", .threads = 1})->per_s == 50e9);
  CHECK(m.peak({.dtype = "f32", .isa = "", .threads = 2})->per_s == 200e9);
  CHECK(m.peak({.dtype = "f32", .isa = "unheard_of", .threads = 1})->per_s == 100e9);
  CHECK(m.peak({.dtype = "f32", .isa = "", .threads = 0})->per_s == 200e9);
  CHECK(m.peak({.dtype = "f32", .isa = "", .threads = 7})->per_s == 200e9);
  CHECK(m.peak({.dtype = "int8", .isa = "", .threads = 1}) == nullptr);
  CHECK(m.bandwidth("L2", {.dtype = "f32", .isa = "avx2", .threads = 1})->per_s == 200e9);
  CHECK(m.bandwidth("L4") == nullptr);
}

TEST_CASE("bf16 has f32's ceiling on a machine or an instruction set without its own") {
  rp::machine m = synthetic::machine();
  CHECK(m.peak({.dtype = "bf16", .isa = "avx2", .threads = 1})->per_s == 100e9);
  rp::ceiling tiles = *m.peak({.dtype = "f32", .isa = "avx2", .threads = 1});
  tiles.dtype = "bf16", tiles.isa = "avx512", tiles.per_s = 3e12;
  m.ceilings.push_back(tiles);
  CHECK(m.peak({.dtype = "bf16", .isa = "avx2", .threads = 1})->per_s == 100e9);
  CHECK(m.peak({.dtype = "bf16", .isa = "avx512", .threads = 1})->per_s == 3e12);
  CHECK(m.peak({.dtype = "bf16", .isa = "", .threads = 1})->per_s == 3e12);
}

TEST_CASE("a footprint selects the level, private caches count once per thread") {
  const rp::machine m = synthetic::machine();
  CHECK(m.levels() == std::vector<std::string>{"L1", "L2", "L3", "DRAM"});
  const auto level = [&](std::uint64_t bytes, int n) { return m.memory_roof(bytes, {.threads = n})->level; };
  CHECK(level(0, 1) == "L1");
  CHECK(level(32'000, 1) == "L1");
  CHECK(level(32'001, 1) == "L2");
  CHECK(level(32'001, 2) == "L1");
  CHECK(level(32'000'000, 1) == "L3");
  CHECK(level(32'000'001, 1) == "DRAM");
  CHECK(rp::machine{}.memory_roof(1) == nullptr);
}

TEST_CASE("ridge points are at the intersection of slope and flat roof") {
  const rp::machine m = synthetic::machine();
  const auto ridges = m.ridge_points({.dtype = "f32", .isa = "avx2", .threads = 1});
  REQUIRE(ridges.size() == 4);
  const double expected[] = {0.25, 0.5, 1, 10};
  for (std::size_t i = 0; i < 4; ++i) CHECK(ridges[i].flop_per_byte() == near(expected[i]));
  CHECK(m.ridge_points({.dtype = "int8"}).empty());
}

TEST_CASE("the roof is min(peak, intensity times bandwidth), monotone, with its kink at the ridge: 10,000 machines") {
  rp::random_stream random(7);
  for (int i = 0; i < 10'000; ++i) {
    const double peak = std::pow(10, random.uniform(6, 15)), bandwidth = std::pow(10, random.uniform(6, 13));
    const double intensity = std::pow(10, random.uniform(-4, 5));
    rp::machine m{.name = "random", .description = {}, .ceilings = {synthetic::compute("f32", "", 0, peak)}};
    m.ceilings.push_back(synthetic::memory("DRAM", 0, 0, bandwidth));
    const double roof = m.attainable_flop_per_s(intensity, 1);
    REQUIRE(roof == std::min(peak, intensity * bandwidth));
    REQUIRE(m.attainable_flop_per_s(2 * intensity, 1) >= roof);
    const double ridge = m.ridge_points()[0].flop_per_byte();
    REQUIRE(m.attainable_flop_per_s(ridge, 1) == near(peak));
    REQUIRE(m.attainable_flop_per_s(ridge / 2, 1) == near(peak / 2));
  }
}
