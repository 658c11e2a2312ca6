// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/machine.hpp>

#include <limits>

#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("an invalid machine is refused with the value and the expectation") {
  const auto refuses = [](auto&& spoil, const char* message) {
    rp::machine m = synthetic::machine();
    spoil(m);
    CHECK_THROWS_WITH_AS(rp::check(m), doctest::Contains(message), rp::value_error);
  };
  CHECK_NOTHROW(rp::check(synthetic::machine()));
  refuses([](auto& m) { m.name.clear(); }, "the name is empty");
  refuses([](auto& m) { m.ceilings.clear(); }, "must have at least one");
  refuses([](auto& m) { m.ceilings[0].per_s = 0; }, "ceiling 0: per_s is 0; must be 1 to 1e24");
  refuses([](auto& m) { m.ceilings[1].per_s = -1; }, "per_s is -1");
  refuses([](auto& m) { m.ceilings[1].per_s = std::numeric_limits<double>::quiet_NaN(); }, "per_s is nan");
  refuses([](auto& m) { m.ceilings[1].per_s = std::numeric_limits<double>::infinity(); }, "per_s is inf");
  refuses([](auto& m) { m.ceilings[1].per_s = 1e308; }, "per_s is 1e+308");
  refuses([](auto& m) { m.ceilings[2].threads = -1; }, "threads is -1");
  refuses([](auto& m) { m.ceilings[0].dtype.clear(); }, "dtype is empty");
  refuses([](auto& m) { m.ceilings[3].level.clear(); }, "level is empty");
  refuses([](auto& m) { m.ceilings[0].measured->min = 101e9; }, "must be finite with 0 < min <= median <= max");
  refuses([](auto& m) { m.ceilings[0].measured->cv = -1; }, "cv is -1");
  refuses([](auto& m) { m.ceilings[0].measured->samples = 0; }, "samples is 0");
  refuses([](auto& m) { m.ceilings[0].measured->top_gap = 1.5; }, "top_gap is 1.5; must be 0 to 1");
  CHECK_THROWS_WITH_AS(rp::check<rp::data_error>(rp::machine{}, "m.json: "),
                       doctest::Contains("m.json: machine: the name"), rp::data_error);
}

TEST_CASE("a memory roof measured in a set that fits into a cache is suspicious") {
  const auto level = [](const char* name, std::uint64_t capacity, std::uint64_t set, double per_s) {
    return rp::ceiling{.kind = rp::ceiling_kind::bandwidth,
                       .operation = "load",
                       .isa = {},
                       .dtype = {},
                       .level = name,
                       .capacity_bytes = capacity << 20,
                       .threads = 1,
                       .per_s = per_s,
                       .source = {},
                       .set_bytes = set << 20};
  };
  const auto said = [&](std::uint64_t l2, std::uint64_t l3, std::uint64_t l3_set, std::uint64_t memory_set) {
    rp::machine m{.name = "host", .description = {}, .ceilings = {}};
    m.ceilings = {level("L2", l2, 1, 4e9), level("L3", l3, l3_set, 3e9), level("DRAM", 0, memory_set, 2e9)};
    return rp::suspicions(m, {.threads = 1});
  };
  CHECK(said(2, 32, 16, 128).empty());
  CHECK(said(2, 105, 52, 160).empty());
  CHECK(said(2, 480, 80, 160) ==
        std::vector<std::string>{"the roof of DRAM may be that of L3: it was measured in a set of 160 MiB; must be > "
                                 "480 MiB, which L3 has"});
  CHECK(said(28, 38, 19, 152) ==
        std::vector<std::string>{"the roof of L3 may be that of L2: it was measured in a set of "
                                 "19 MiB; must be > 28 MiB, which L2 has"});
  CHECK(said(2, 480, 80, 0).empty());  // a file without set sizes
}

TEST_CASE("odd facts of a machine are reported, not refused") {
  rp::machine m = synthetic::machine();
  CHECK(rp::suspicions(m, {.threads = 1}).empty());
  m.ceilings[5].per_s = 300e9;  // L3, faster than L2
  m.ceilings[0].measured->top_gap = 0.2;
  m.ceilings[1].measured = rp::spread{.median = 1, .min = 1, .max = 9, .cv = 1, .samples = 9, .top_gap = 0.9};
  const auto said = rp::suspicions(m, {.threads = 1});
  REQUIRE(said.size() == 2);
  CHECK(said[0] == "L3 is faster than L2: 300 against 200 GB/s");
  CHECK(said[1] ==
        "1 of 5 roofs may be higher: the third best sample of f32 fma avx2, 1 thread is 20.0 % below the best");
  m.ceilings[5].per_s = 202e9;  // as fast as L2, up to noise
  CHECK(rp::suspicions(m, {.threads = 1}).size() == 1);
}
