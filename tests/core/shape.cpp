// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/shape.hpp>

namespace rp = ridgepoint;

TEST_CASE("a shape has a rank, a size and extents indexed from both ends") {
  const rp::shape s{128, 28, 28, 3};
  CHECK(s.rank() == 4);
  CHECK(s.size() == 128 * 28 * 28 * 3);
  CHECK(s[0] == 128);
  CHECK(s[-1] == 3);
  CHECK(to_string(s) == "128x28x28x3");
  CHECK(rp::shape{}.size() == 1);
  CHECK(to_string(rp::shape{}) == "scalar");
}

TEST_CASE("a shape refuses invalid extents") {
  CHECK_THROWS_WITH_AS(rp::shape({2, -1}), doctest::Contains("-1 is negative"), rp::shape_error);
  CHECK_THROWS_AS(rp::shape({rp::index_t{1} << 40, rp::index_t{1} << 40}), rp::shape_error);
  CHECK_THROWS_AS(rp::shape({1, 1, 1, 1, 1, 1, 1}), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(rp::shape{1}[1]), rp::shape_error);
}
