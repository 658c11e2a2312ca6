// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/profile.hpp>

#include "synthetic.hpp"

TEST_CASE("rows and residual add up to the wall time of the step") {
  const ridgepoint::profile p = synthetic::profile();
  double sum = p.residual_s();
  for (const auto& row : p.rows) sum += row.elapsed_s;
  CHECK(sum == doctest::Approx(p.step_s));
  CHECK(p.residual_s() == doctest::Approx(1e-3));
  CHECK(p.receipt().flop == 412'000'000);
  CHECK(p.receipt().bytes.total() == 17'800'000);
}
