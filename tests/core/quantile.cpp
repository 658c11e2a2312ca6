// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/quantile.hpp>

namespace rp = ridgepoint;

TEST_CASE("quantile: interpolates between the two nearest values") {
  CHECK(rp::median({3, 1, 2}) == 2);
  CHECK(rp::median({4, 1, 2, 3}) == 2.5);
  CHECK(rp::quantile({1, 2, 3, 4, 5}, 0.25) == 2);
  CHECK(rp::quantile({7}, 1) == 7);
  CHECK_THROWS_AS(static_cast<void>(rp::median({})), rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(rp::quantile({1}, 1.5)), rp::value_error);
}
