// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/measure.hpp>

#include "support/near.hpp"

TEST_CASE("spread of samples") {
  const ridgepoint::spread s = ridgepoint::spread_of({3, 1, 2, 4});
  CHECK(s.median == 2.5);
  CHECK(s.min == 1);
  CHECK(s.max == 4);
  CHECK(s.samples == 4);
  CHECK(s.cv == near(std::sqrt(5.0 / 3) / 2.5));
  CHECK(s.top_gap == 0.5);  // from 4 to 2
  CHECK(ridgepoint::spread_of({1, 10, 9.9, 9.8}).top_gap == 1 - 9.8 / 10);
  CHECK(ridgepoint::spread_of({8, 10}).top_gap == 1 - 8.0 / 10);
  CHECK(ridgepoint::spread_of({7}).cv == 0);
  CHECK(ridgepoint::spread_of({7}).top_gap == 0);
  CHECK(ridgepoint::spread_of({}) == ridgepoint::spread{});
}
