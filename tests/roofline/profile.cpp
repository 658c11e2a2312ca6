// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/profile.hpp>

#include "synthetic.hpp"

TEST_CASE("a residual that is only the rounding of the sum is none") {
  ridgepoint::profile p{.title = {}, .backend = {}, .rows = {}, .step_s = 0.3};
  for (int i = 0; i < 3; ++i) p.rows.push_back({.layer = "a", .shape = "", .elapsed_s = 0.1});
  CHECK(0.3 - (0.1 + 0.1 + 0.1) != 0);
  CHECK(p.residual_s() == 0);
  p.rows[0].elapsed_s = 0.1 - 1e-12;
  CHECK(p.residual_s() > 0);
}

TEST_CASE("rows and residual add up to the wall time of the step") {
  const ridgepoint::profile p = synthetic::profile();
  double sum = p.residual_s();
  for (const auto& row : p.rows) sum += row.elapsed_s;
  CHECK(sum == doctest::Approx(p.step_s));
  CHECK(p.residual_s() == doctest::Approx(1e-3));
  CHECK(p.receipt().flop == 412'000'000);
  CHECK(p.receipt().bytes.total() == 17'800'000);
}
