// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/profile.hpp>

#include "support/near.hpp"
#include "synthetic.hpp"

TEST_CASE("a residual below the rounding of the sum is zero") {
  ridgepoint::profile p{.title = {}, .backend = {}, .rows = {}, .step_s = 0.3};
  for (int i = 0; i < 3; ++i) p.rows.push_back({.layer = "a", .shape = "", .elapsed_s = 0.1});
  CHECK(0.3 - (0.1 + 0.1 + 0.1) != 0);
  CHECK(p.residual_s() == 0);
  p.rows[0].elapsed_s = 0.1 - 1e-12;
  CHECK(p.residual_s() > 0);
}

TEST_CASE("the residual is the step time minus the time of its rows") {
  ridgepoint::profile p = synthetic::profile();  // 5 + 3 + 1 ms of 10 ms
  CHECK(p.residual_s() == near(1e-3));
  p.rows[1].elapsed_s += 4e-3;  // a row slower alone than within the step
  CHECK(p.residual_s() == near(-3e-3));
  p.rows.clear();
  CHECK(p.residual_s() == near(10e-3));
}

TEST_CASE("the receipt of a profile is the sum over its rows") {
  const ridgepoint::profile p = synthetic::profile();
  CHECK(p.receipt().flop == 412'000'000);
  CHECK(p.receipt().bytes.total() == 17'800'000);
}
