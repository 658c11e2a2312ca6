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

TEST_CASE("the longest time binds: arithmetic or the level that fits the footprint") {
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

TEST_CASE("work without FLOP has an efficiency, empty work has none") {
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

TEST_CASE("an algorithm with fewer FLOP than counted may exceed the roof of the counted ones") {
  const rp::machine m = synthetic::machine();
  rp::profile p{.title = "one", .backend = "ridgepoint.avx2", .threads = 1, .rows = {}, .step_s = 0.005};
  p.rows.push_back({.layer = "conv2d_1",
                    .shape = "",
                    .receipt = work_of(1'000'000'000, 1),  // 0.01 s at the peak
                    .elapsed_s = 0.005,
                    .algorithm = "winograd 4x4",
                    .executed_flop = 300'000'000});
  const rp::placement winograd = rp::place(m, p, p.rows[0]);
  CHECK_FALSE(winograd.above_roof);
  CHECK(winograd.fewer_flop);
  CHECK(winograd.marked_bound() == "compute *");
  CHECK(winograd.efficiency == near(0.6));  // of the executed FLOP, 0.003 s at the peak
  CHECK(winograd.gain == near(10 / 3.0));
  CHECK(winograd.flop_per_s == near(200e9));  // of the definition
  CHECK(winograd.flop_per_byte == near(1e9));
  CHECK(winograd.attainable_flop_per_s == near(1e9 / 0.003));
  CHECK(rp::step_roofs_of(m, p).compute_s == near(0.003));
  CHECK(rp::step_efficiency(m, p) == near(0.6));
  for (const std::string& doubt : rp::suspicions(p, m)) CHECK(doubt.find("above their roof") == std::string::npos);

  p.rows[0].executed_flop = 900'000'000;  // these take 0.009 s at the peak
  CHECK(rp::place(m, p, p.rows[0]).above_roof);
  CHECK(rp::place(m, p, p.rows[0]).marked_bound() == "compute !");
  for (const std::uint64_t all_or_not_reported : {1'000'000'000, 0}) {
    p.rows[0].executed_flop = all_or_not_reported;
    CHECK(rp::place(m, p, p.rows[0]).above_roof);
    CHECK(rp::place(m, p, p.rows[0]).gain == 1);
  }
  p.rows[0].elapsed_s = 0.02;
  CHECK_FALSE(rp::place(m, p, p.rows[0]).fewer_flop);
  p.rows[0].executed_flop = 2'500'000'000;  // with lanes without an element: 0.025 s at the peak
  CHECK_FALSE(rp::place(m, p, p.rows[0]).above_roof);
  CHECK(rp::place(m, p, p.rows[0]).gain == near(0.4));
}

TEST_CASE("a point above the roof shows a wrong model; a point in the ridge band is undecided") {
  const rp::machine m = synthetic::machine();
  CHECK(rp::place(m, work_of(1'000'000'000, 1), 0.0090, 0, one_thread).above_roof);
  CHECK_FALSE(rp::place(m, work_of(1'000'000'000, 1), 0.0098, 0, one_thread).above_roof);  // within 3 %
  const rp::placement ridge = rp::place(m, work_of(1'000'000'000, 99'000'000), 0.01, 0, one_thread);
  CHECK(ridge.undecided);
  CHECK(ridge.bound == "ridge");
}

TEST_CASE("an uncertain ceiling makes a row undecided, or excuses it, only by the gap of its best sample") {
  rp::machine m = synthetic::machine();
  const auto bound_at = [&](double ratio) {  // arithmetic takes `ratio` times as long as memory
    return rp::place(m, work_of(static_cast<std::uint64_t>(ratio * 1e9), 100'000'000), 0.05, 0, one_thread).bound;
  };
  CHECK(bound_at(1.04) == "ridge");
  CHECK(bound_at(1.06) == "compute");
  CHECK(bound_at(0.94) == "DRAM");
  m.ceilings[0].measured->top_gap = 0.08;  // uncertainty of the peak: it can only be too low
  CHECK(bound_at(1.07) == "ridge");
  CHECK(bound_at(1.09) == "compute");
  CHECK(bound_at(0.94) == "DRAM");
  m.ceilings[0].measured->top_gap = 0.05;  // replaces the allowance of 3 %, since it is larger
  CHECK(rp::place(m, work_of(1'060'000'000, 1), 0.01, 0, one_thread).above_roof);
  CHECK_FALSE(rp::place(m, work_of(1'040'000'000, 1), 0.01, 0, one_thread).above_roof);
  m.ceilings[0].measured->top_gap = 0.48;  // a busy machine: the variation decides nothing
  m.ceilings[0].measured->cv = 0.48;
  CHECK(bound_at(1.09) == "ridge");
  CHECK(bound_at(1.11) == "compute");
  CHECK(bound_at(45) == "compute");
  CHECK(rp::place(m, work_of(1'240'000'000, 1), 0.01, 0, one_thread).above_roof);
  CHECK_FALSE(rp::place(m, work_of(1'090'000'000, 1), 0.01, 0, one_thread).above_roof);
}

TEST_CASE("rows whose two times differ by 1.5 or more are decided, for any samples") {
  rp::machine m = synthetic::machine();
  for (rp::ceiling& c : m.ceilings)
    c.measured =
        rp::spread{.median = c.per_s / 3, .min = c.per_s / 9, .max = c.per_s, .cv = 2, .samples = 2, .top_gap = 1};
  for (const double ratio : {1 / 1.5, 1.5, 40.0}) {
    const rp::work receipt = work_of(static_cast<std::uint64_t>(ratio * 1e9), 100'000'000);
    CHECK(rp::place(m, receipt, 0.05, 0, one_thread).bound == (ratio > 1 ? "compute" : "DRAM"));
  }
}

TEST_CASE("suspicions of a profile: its ceilings, and rows above their roof") {
  rp::machine m = synthetic::machine();
  rp::profile p = synthetic::profile();
  CHECK(rp::suspicions(p, m).empty());
  p.rows[0].elapsed_s = 3e-3;
  p.rows[1].elapsed_s = 1e-3;
  m.ceilings[0].measured->top_gap = 0.15;
  p.meanwhile = {.other_cores = 0.98, .steal_share = 0.021, .slowdown = 1.62, .attempts = 2};
  const auto said = rp::suspicions(p, m);
  REQUIRE(said.size() == 3);
  CHECK(said[0] ==
        "busy host: other processes used 0.98 cores, the host took 2.1 % of the time, half of the steps took 1.62 "
        "times the best one or more; the fastest of 2 attempts; trust GFLOP, FLOP/B and the bounds, not times and what "
        "is derived from them");
  p.meanwhile = {.steal_share = 0.5};
  CHECK(rp::busy_host(p).starts_with("busy host: the host took 50 % of the time; trust "));
  CHECK(said[1].starts_with("1 of 5 roofs may be higher: the third best sample of f32 fma avx2, 1 thread is 15"));
  CHECK(said[2].starts_with("2 of 3 rows are above their roof, most of all adam update: at 150 % of it"));
}

TEST_CASE("the step has no score if one of its ceilings is suspicious, and no row explains more than its time") {
  rp::machine m = synthetic::machine();
  rp::profile p = synthetic::profile();
  CHECK(rp::step_score(m, p) == rp::step_efficiency(m, p));
  const double all_below = rp::step_efficiency(m, p);
  p.rows[1].elapsed_s = 1e-3;  // its roof allows 1.5 ms
  CHECK(rp::step_efficiency(m, p) < all_below);
  for (rp::profile_row& row : p.rows) row.elapsed_s = 1e-6;
  CHECK(rp::step_efficiency(m, p) <= 3 * 1e-6 / p.step_s);
  m.ceilings[1].measured = rp::spread{.median = 1, .min = 1, .max = 1, .cv = 0, .samples = 9, .top_gap = 0.5};
  CHECK(rp::step_score(m, p));  // an instruction set that p does not use
  m.ceilings[0].measured->top_gap = 0.5;
  CHECK_FALSE(rp::step_score(m, p));
}

TEST_CASE("a build for fewer features than the CPU has is named") {
  rp::machine m = synthetic::machine();
  rp::profile p = synthetic::profile();
  CHECK(rp::weaker_build(p, m).empty());
  p.backend = "ridgepoint.scalar";
  CHECK(rp::where_it_ran(p, m) == "ridgepoint.scalar, 1 thread; this build: scalar, CPU has avx2");
  CHECK(rp::place(m, p, p.rows[0]).efficiency == rp::place(m, synthetic::profile(), p.rows[0]).efficiency);
  p.backend = "onednn";
  p.threads = 2;
  CHECK(rp::where_it_ran(p, m) == "onednn, 2 threads");
  p.threads = 0;  // modelled
  CHECK(rp::where_it_ran(p, m) == "onednn");
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

TEST_CASE("work is placed on the roof of its own type unless another is requested") {
  rp::machine m = synthetic::machine();
  m.ceilings.push_back(synthetic::compute("int8", "avx2", 1, 400e9));
  rp::work product = work_of(1'000'000'000, 1'000'000);
  const auto efficiency = [&](rp::element type, const rp::roof_query& query = {.threads = 1}) {
    product.bytes.type = type;
    return rp::place(m, product, 0.04, 0, query).efficiency;
  };
  CHECK(efficiency(rp::element::f32) == near(0.25));
  CHECK(efficiency(rp::element::f64) == near(0.5));
  CHECK(efficiency(rp::element::i8) == near(0.0625));
  CHECK(efficiency(rp::element::other) == near(0.25));
  CHECK(efficiency(rp::element::f64, {.dtype = "f32", .threads = 1}) == near(0.25));
  CHECK(efficiency(rp::element::bf16) == near(0.25));  // storage only: computed in f32
  m.ceilings.push_back(synthetic::compute("bf16", "avx2", 1, 200e9));
  CHECK(efficiency(rp::element::bf16) == near(0.125));
}

TEST_CASE("each row of a profile without a dtype is placed on the roof of its own type") {
  const rp::machine m = synthetic::machine();
  rp::profile p = synthetic::profile();
  p.rows[0].receipt.bytes.type = rp::element::f64;
  CHECK(rp::place(m, p, p.rows[0]).efficiency == near(1.6));
  CHECK(rp::roofs_for(p).dtype == "f64");
  CHECK(step_roofs_of(m, p).compute_s == near(400e6 / 50e9 + 12e6 / 100e9));
  p.dtype = "f32";
  CHECK(rp::place(m, p, p.rows[0]).efficiency == near(0.8));
}

TEST_CASE("launches are a third roof: of a small row, and of the full step") {
  rp::machine m = synthetic::machine();
  m.launch_s = 1e-3;
  rp::profile p = synthetic::profile();  // dense_1 takes 4 ms at its roof, adam 1.5 ms
  for (rp::profile_row& row : p.rows) row.launches = 2;
  const rp::placement dense = place(m, p, p.rows[0]), adam = place(m, p, p.rows[1]);
  CHECK(dense.bound == "compute");
  CHECK(adam.bound == "launches");
  CHECK(adam.roof_s == near(2e-3));
  CHECK(adam.efficiency == near(2.0 / 3));
  CHECK_FALSE(adam.undecided);
  CHECK(launch_roof_flop_per_s(m, p) == near(412e6 / 6e-3));
  CHECK(launch_legend(m, p) == "launches: 6 of 1.00 ms, so that the whole step stays below 68.7 GFLOP/s");

  const rp::step_roofs roofs = step_roofs_of(m, p);
  CHECK(roofs.compute_s == near(4.12e-3));
  CHECK(roofs.memory_s == near(2e6 / 100e9 + 15e6 / 10e9 + 8e5 / 100e9));  // L3, DRAM, L3
  CHECK(roofs.launch_s == near(6e-3));
  CHECK(roofs.bound() == "launches");
  m.launch_s = 0;
  CHECK(step_roofs_of(m, p).bound() == "compute");
  CHECK(launch_legend(m, p).empty());
  CHECK(rp::step_roofs{}.bound() == "-");
}
