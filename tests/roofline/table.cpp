// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/machines.hpp>
#include <ridgepoint/roofline/plot.hpp>
#include <ridgepoint/roofline/table.hpp>

#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("the table of a profile") {
  CHECK(rp::table(synthetic::profile(), synthetic::machine()) ==
        R"(synthetic on ridgepoint.avx2, 1 thread; roofs of synthetic; 1 multiply-add = 2 FLOP

   layer      pass     shape         GFLOP  FLOP/B  time  share  GFLOP/s   GB/s  % of roof  bound by
                                                      ms      %
----------------------------------------------------------------------------------------------------
A  dense_1    forward  128x512x784   0.400     200  5.00   50.0     80.0  0.400       80.0  compute
B  adam       update   1000000      0.0120   0.800  3.00   30.0     4.00   5.00       50.0  DRAM
C  data feed  feed     128x784           0       0  1.00   10.0        0  0.800      0.800  L3
   residual                                         1.00   10.0
----------------------------------------------------------------------------------------------------
   step                              0.412    23.1  10.0    100     41.2   1.78       55.1
)");
}

TEST_CASE("if the backend reports its algorithm, the row shows it and how many FLOP it saves") {
  rp::profile p = synthetic::profile();
  p.rows[0].algorithm = "packed";
  p.rows[0].elapsed_s = 0.5;
  p.rows[0].executed_flop = 200'000'000;
  const std::string text = rp::table(p, synthetic::machine());
  CHECK(text.find("bound by  gain  algorithm\n") != std::string::npos);
  CHECK(text.find("2.00  packed\n") != std::string::npos);
  CHECK(text.find(rp::fewer_flop_legend) == std::string::npos);
}

TEST_CASE("if several backends computed, each row names its own") {
  rp::profile p = synthetic::profile();
  p.rows[0].backend = "onednn";
  p.rows[1].backend = "ridgepoint.avx2";
  const std::string text = rp::table(p, synthetic::machine());
  CHECK(text.find("bound by  ran on\n") != std::string::npos);
  CHECK(text.find("compute   onednn\n") != std::string::npos);
  CHECK(text.find("DRAM      ridgepoint.avx2\n") != std::string::npos);
  CHECK(text.find("L3\n") != std::string::npos);  // a ceiling fed by no level
}

TEST_CASE("a row above the roof is flagged as an error") {
  rp::profile p = synthetic::profile();
  p.rows[1].elapsed_s = 1e-3;
  const std::string text = rp::table(p, synthetic::machine());
  CHECK(text.find("DRAM !") != std::string::npos);
  CHECK(text.find("faster than the roof, so a count or a ceiling is wrong") != std::string::npos);
}

TEST_CASE("a row above the roof because its algorithm saves FLOP says so, and is no error") {
  rp::profile p = synthetic::profile();
  p.rows[0].algorithm = "winograd 4x4";
  p.rows[0].elapsed_s = 2e-3;  // 200 GFLOP/s below a peak of 100
  p.rows[0].executed_flop = 100'000'000;
  const std::string text = rp::table(p, synthetic::machine());
  CHECK(text.find("50.0  compute *  4.00  winograd 4x4\n") != std::string::npos);
  CHECK(text.find("*: fewer FLOP than the definition") != std::string::npos);
  CHECK(text.find("a count or a ceiling is wrong") == std::string::npos);
}

TEST_CASE("a busy host is the first line; the step has no score while a ceiling is suspicious") {
  rp::profile p = synthetic::profile();
  rp::machine m = synthetic::machine();
  p.meanwhile.steal_share = 0.5;
  m.ceilings[0].measured->top_gap = 0.2;
  const std::string text = rp::table(p, m);
  CHECK(text.starts_with("busy host: "));
  CHECK(text.find("10.0    100     41.2   1.78          -\n") != std::string::npos);
  CHECK(text.find(rp::no_score_legend) != std::string::npos);
}

TEST_CASE("names in a profile and a machine cannot add lines or terminal commands") {
  rp::profile p = synthetic::profile();
  rp::machine m = synthetic::machine();
  p.title = p.backend = p.rows[0].layer = m.name = m.description = "a\n\x1b[2J\xff";
  for (rp::ceiling& c : m.ceilings) c.source = "b\r";
  for (const std::string& text : {rp::table(p, m), rp::table(m), rp::plot(p, m)}) {
    CHECK(text.find("a\\n\\x1b[2J\\xff") != std::string::npos);
    CHECK(text.find_first_of("\x1b\r\xff") == std::string::npos);
    CHECK(text.find("a\n") == std::string::npos);
  }
}

TEST_CASE("an empty profile and a machine without ceilings still print") {
  CHECK_NOTHROW(static_cast<void>(rp::table(rp::profile{}, rp::machine{})));
  CHECK_NOTHROW(static_cast<void>(rp::table(synthetic::profile(), rp::machine{})));
  CHECK_NOTHROW(static_cast<void>(rp::table(rp::machine{})));
}

TEST_CASE("the table of a machine has every ceiling, its source and the ridge points") {
  const std::string text = rp::table(rp::find_machine("tpu-v2"), {.dtype = "bf16"});
  CHECK(text.find("180 TFLOP/s") != std::string::npos);
  CHECK(text.find("2.40 TB/s") != std::string::npos);
  CHECK(text.find("arXiv:1907.10701") != std::string::npos);
  CHECK(text.find("ridge point HBM: 75.0 FLOP/B") != std::string::npos);
}
