// SPDX-License-Identifier: MIT
#include <ridgepoint/roofline/measure.hpp>

#include <doctest/doctest.h>

#include "support/near.hpp"

TEST_CASE("overlap: between the maximum and the sum") {
  using ridgepoint::overlap;
  CHECK(overlap(3, 4, 0) == 4);
  CHECK(overlap(3, 4, 1) == near(7));
  CHECK(overlap(3, 4, 2) == near(5));
  CHECK(overlap(0, 4, 2) == 4);
  CHECK(overlap(1e-300, 4, 1000) == 4);
}
