// SPDX-License-Identifier: MIT
#include <ridgepoint/study/comparison.hpp>

#include <doctest/doctest.h>

#include "support/near.hpp"

using ridgepoint::study::holm;

TEST_CASE("holm: p-values adjusted by hand") {
  const auto three = holm({0.01, 0.04, 0.03});  // 3 · 0.01, then 2 · 0.03, then at least that
  CHECK(three[0] == near(0.03));
  CHECK(three[1] == near(0.06));
  CHECK(three[2] == near(0.06));
  const auto four = holm({0.005, 0.011, 0.02, 0.04});
  CHECK(four[0] == near(0.020));
  CHECK(four[1] == near(0.033));
  CHECK(four[2] == near(0.040));
  CHECK(four[3] == near(0.040));
  CHECK(holm({0.6, 0.7}) == std::vector<double>{1, 1});
  CHECK(holm({0.2}) == std::vector<double>{0.2});
  CHECK(holm({}).empty());
}
