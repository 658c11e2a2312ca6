// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/environment.hpp>

TEST_CASE("a tenth of a core, a hundredth of the time or a quarter of speed make a host busy") {
  using ridgepoint::disturbance;
  CHECK_FALSE(disturbance{}.busy());
  CHECK_FALSE(disturbance{.other_cores = 0.09, .steal_share = 0.009, .slowdown = 1.2}.busy());
  CHECK(disturbance{.other_cores = 0.11}.busy());
  CHECK(disturbance{.steal_share = 0.011}.busy());
  CHECK(disturbance{.slowdown = 1.26}.busy());
}
