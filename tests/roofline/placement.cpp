// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/placement.hpp>

#include "support/near.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;

namespace {
const rp::roof_query one_thread{.dtype = "f32", .isa = "avx2", .threads = 1};
using synthetic::work_of;
}  // namespace

TEST_CASE("work is bound by whatever takes longest: arithmetic or the level its footprint fits") {
  const rp::machine m = synthetic::machine();
  const rp::placement fast = rp::place(m, work_of(1'000'000'000, 1'000'000), 0.02, 1'000'000, one_thread);
  CHECK(fast.bound == "compute");
  CHECK(fast.level == "L3");
  CHECK(fast.efficiency == near(0.5));
  CHECK(fast.attainable_flop_per_s == near(100e9));
  CHECK(fast.flop_per_s == near(50e9));
  const rp::placement slow = rp::place(m, work_of(1'000'000, 100'000'000), 0.02, 0, one_thread);
  CHECK(slow.bound == "DRAM");
  CHECK(slow.roof_s == near(0.01));
  CHECK(slow.bytes_per_s == near(5e9));
  CHECK(rp::place(m, work_of(1'000, 20'000), 1, 0, one_thread).bound == "L1");
}

TEST_CASE("work without arithmetic has an efficiency, work without anything has none") {
  const rp::machine m = synthetic::machine();
  const rp::placement copy = rp::place(m, work_of(0, 100'000'000), 0.02, 0, one_thread);
  CHECK(copy.bound == "DRAM");
  CHECK(copy.efficiency == near(0.5));
  CHECK(copy.flop_per_s == 0);
  const rp::placement nothing = rp::place(m, {}, 0.02, 0, one_thread);
  CHECK(nothing.bound == "-");
  CHECK(nothing.efficiency == 0);
  CHECK_FALSE(nothing.above_roof);
  CHECK(rp::place(m, work_of(1, 1), 0, 0, one_thread).efficiency == 0);
}

TEST_CASE("a point above the roof is evidence of a wrong model, one inside the ridge band is not decided") {
  const rp::machine m = synthetic::machine();
  CHECK(rp::place(m, work_of(1'000'000'000, 1), 0.0090, 0, one_thread).above_roof);
  CHECK_FALSE(rp::place(m, work_of(1'000'000'000, 1), 0.0098, 0, one_thread).above_roof);    // within 3 sigma of 1 %
  const rp::placement ridge = rp::place(m, work_of(1'000'000'000, 99'000'000), 0.01, 0, one_thread);
  CHECK(ridge.undecided);
  CHECK(ridge.bound == "ridge");
}

TEST_CASE("what is suspicious about a profile: its ceilings, and rows above their roof") {
  rp::machine m = synthetic::machine();
  rp::profile p = synthetic::profile();
  CHECK(rp::suspicions(p, m).empty());
  p.rows[0].elapsed_s = 3e-3;
  p.rows[1].elapsed_s = 1e-3;
  m.ceilings[0].measured->cv = 0.15;
  const auto said = rp::suspicions(p, m);                      // the first row: within three standard deviations
  REQUIRE(said.size() == 2);
  CHECK(said[0].starts_with("1 of 14 ceilings varied"));
  CHECK(said[1].starts_with("1 of 3 rows are above their roof, most of all adam update: at 150 % of it"));
}

TEST_CASE("a profile is placed on the ceilings of its dtype, threads and ISA") {
  const rp::profile p = synthetic::profile();
  const rp::roof_query query = rp::roofs_for(p);
  CHECK(query.isa == "avx2");
  CHECK(query.threads == 1);
  CHECK(rp::roofs_for({.title = {}, .backend = "onednn", .threads = 2, .rows = {}}).isa == "onednn");
  const rp::machine m = synthetic::machine();
  CHECK(rp::place(m, p, p.rows[0]).efficiency == near(0.8));
  CHECK(rp::place(m, p, p.rows[1]).efficiency == near(0.5));
  CHECK(rp::step_efficiency(m, p) == near((4e-3 + 1.5e-3 + 0.8e6 / 100e9) / 10e-3));
}
