// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/profile.hpp>

#include "support/near.hpp"
#include "synthetic.hpp"

TEST_CASE("what the rows do not explain of the step is its residual") {
  ridgepoint::profile p = synthetic::profile();  // 5 + 3 + 1 ms of 10 ms
  CHECK(p.residual_s() == near(1e-3));
  p.rows[1].elapsed_s += 4e-3;  // a row timed slower than within the step
  CHECK(p.residual_s() == near(-3e-3));
  p.rows.clear();
  CHECK(p.residual_s() == near(10e-3));
}

TEST_CASE("the receipt of a profile is the sum over its rows") {
  const ridgepoint::profile p = synthetic::profile();
  CHECK(p.receipt().flop == 412'000'000);
  CHECK(p.receipt().bytes.total() == 17'800'000);
}
