// SPDX-License-Identifier: MIT
#include <ridgepoint/study/paradnn_fc.hpp>

#include <doctest/doctest.h>

#include "support/near.hpp"

namespace rp = ridgepoint;
using rp::study::agree;

TEST_CASE("agree: errors relative to the measurement") {
  const auto a = agree({1.1, 2, 2, 8}, {1, 2, 4, 8});
  CHECK(a.rows == 4);
  CHECK(a.median_error == near(0.05));
  CHECK(std::abs(a.bias) <= 1e-12);
  CHECK(a.within_10 == 0.5);
  CHECK(a.within_25 == 0.75);
  CHECK(a.worst == 0.5);
  CHECK(agree({1, 2, 4}, {1, 2, 4}).r2_log == 1);
  CHECK_THROWS_AS(static_cast<void>(agree({1}, {1, 2})), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(agree({0}, {1})), rp::value_error);
}

TEST_CASE("lowest: the minimum of a unimodal function") {
  CHECK(rp::study::lowest([](double x) { return (x - 0.3) * (x - 0.3); }, 0, 1) ==
        near(0.3, 1e-7));  // as precise as a square allows
  CHECK(rp::study::lowest([](double x) { return x; }, 0, 1) <= 1e-6);
}
