// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/reference/all.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;

TEST_CASE("a profile has a row for the feed and for every call, and adds up to the step with its residual") {
  auto trainer = toy::trainer<float>(rp::reference);
  const rp::profile p = trainer.profile(toy::corners(), 5);
  REQUIRE(p.rows.size() == trainer.steps().calls.size() + 1);
  CHECK(p.rows[0].layer == "data");
  CHECK(p.rows[0].pass == rp::pass::feed);
  CHECK(p.rows[0].shape == "32x6");
  CHECK(p.rows[0].receipt.bytes.inputs == 32 * (6 * 4 + 4));
  double sum = 0;
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    CHECK(p.rows[i].elapsed_s > 0);
    CHECK(p.rows[i].footprint_bytes > 0);
    if (i > 0) CHECK(p.rows[i].receipt == trainer.steps().calls[i - 1].info.receipt);
    sum += p.rows[i].elapsed_s;
  }
  CHECK(sum + p.residual_s() == doctest::Approx(p.step_s));
  CHECK(p.title == "toy");
  CHECK(p.dtype == "f32");
}

TEST_CASE("profiling leaves the trainer as it was") {
  const toy::corners data;
  auto profiled = toy::trainer<double>(rp::reference), plain = toy::trainer<double>(rp::reference);
  profiled.fit(data);
  plain.fit(data);
  static_cast<void>(profiled.profile(data, 7));
  CHECK(profiled.steps_done() == plain.steps_done());
  const auto kept = profiled.gradient("dense_1.w"), same = plain.gradient("dense_1.w");
  CHECK(std::equal(kept.data(), kept.data() + kept.size(), same.data()));
  CHECK(profiled.fit(data).loss == plain.fit(data).loss);
}
