// SPDX-License-Identifier: MIT
#include <ridgepoint/study/targets/all.hpp>

#include <doctest/doctest.h>

#include "falling_short.hpp"
#include "support/reference_data.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;
using study::comparison;
using study::demand;

TEST_CASE("target: demands that hold and that do not") {
  CHECK(comparison{"", 5, 5, demand::equal}.holds());
  CHECK_FALSE(comparison{"", 5, 6, demand::equal}.holds());
  CHECK(comparison{"", 98.1, 100, demand::within, 0.02}.holds());
  CHECK_FALSE(comparison{"", 97.9, 100, demand::within, 0.02}.holds());
  CHECK(comparison{"", 62, 64, demand::points, 2}.holds());
  CHECK(comparison{"", 0.04, std::nan(""), demand::at_most, 0.045}.holds());
  CHECK_FALSE(comparison{"", 0.9, std::nan(""), demand::at_least, 0.93}.holds());
  CHECK_FALSE(comparison{"", std::nan(""), 1, demand::within, 0.1}.holds());  // NaN never holds
  CHECK(comparison{"", 1, 99}.holds());
  const study::target_result r{.lines = {{"", 1, 2, demand::equal}, {"", 1, 1, demand::equal}, {"", 3, 4}}};
  CHECK(r.judged() == 2);
  CHECK(r.differences() == 1);
  CHECK(r.verdict() == "falls short");
}

TEST_CASE("target: a missing file skips the target and names the file") {
  const study::target_result r = evaluate(study::find_target("fc-steps"), "/no/such/directory");
  CHECK(r.verdict() == "skipped");
  CHECK(r.note == "paradnn_tpu_fc.csv is missing");
  CHECK_THROWS_WITH_AS(static_cast<void>(study::find_target("nothing")), doctest::Contains("fc-steps"),
                       rp::value_error);
}

TEST_CASE("target: demands are counted by the evidence of their data") {
  using study::evidence;
  const study::target_result r{
      .lines = {{"", 1, 1, demand::equal, 0, evidence::chosen}, {"", 1, 1, demand::equal}, {"", 3, 4}}};
  CHECK(r.judged(evidence::chosen) == 1);
  CHECK(r.judged(evidence::hold_out) == 1);
  CHECK(r.judged(evidence::calibration) == 0);
  CHECK(to_string(evidence::chosen) == "chosen on this data");
}

TEST_CASE("targets without data hold, except v3's end-to-end figure") {
  CHECK(evaluate(study::find_target("array"), "").verdict() == "holds");
  CHECK(evaluate(study::find_target("single-ops"), "").verdict() == "holds");
  const study::target_result r = evaluate(study::find_target("v3-over-v2"), "");
  CHECK(falling_short(r) == lines{"FC end to end, twice the batch, highest; all-reduce as fast as v2's"});
}

TEST_CASE("targets: values chosen on the data are marked, and only hold-out rows are predictions") {
  using study::evidence;
  const study::target_result ops = evaluate(study::find_target("single-ops"), "");
  CHECK(basis_of(ops, "bf16 [8192,8192]x[8192,16384] on one core, closed form, ms") == evidence::hold_out);
  CHECK(basis_of(ops, "the same as a modelled op, ms") == evidence::chosen);
  const study::target_result v3 = evaluate(study::find_target("v3-over-v2"), "");
  CHECK(v3.judged(evidence::definitional) == 5);
  CHECK(v3.judged(evidence::hold_out) == 1);  // the figure with faster links is an alternate: shown
}

TEST_CASE("targets: every published table" * doctest::test_suite("reference_data")) {
  using study::evidence;
  struct expected {
    const char* name;
    std::size_t rows, hold_out, chosen, definitional = 0;  // rows of the tables, demands
  };
  const auto folder = reference_data::folder();
  for (const expected& e :
       {expected{"scalesim", 196, 0, 4}, expected{"v1-ratios", 5, 11, 2}, expected{"v1-counters", 6, 16, 6},
        expected{"fc-steps", 1724, 3, 0}, expected{"fc-ops", 920, 5, 7}, expected{"fc-infeed", 91, 1, 0},
        expected{"fc-utilisation", 1724, 6, 0}, expected{"fc-regression", 1724, 10, 0, 12},
        expected{"fc-roofline", 230, 0, 3}, expected{"fc-memory", 1944, 0, 1}}) {
    CAPTURE(e.name);
    const study::target_result r = evaluate(study::find_target(e.name), folder);
    CHECK(falling_short(r) == lines{});
    CHECK(r.rows == e.rows);
    CHECK(r.judged(evidence::hold_out) == e.hold_out);
    CHECK(r.judged(evidence::chosen) == e.chosen);
    CHECK(r.judged(evidence::definitional) == e.definitional);
    CHECK(r.judged() == e.hold_out + e.chosen + e.definitional);
  }
  const study::target_result shown = evaluate(study::find_target("v3-timings"), folder);
  CHECK(shown.verdict() == "shown");
  CHECK(shown.rows == 8);
}
