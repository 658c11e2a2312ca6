// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include <ridgepoint/graph/host_batch.hpp>

namespace rp = ridgepoint;

TEST_CASE("values are numbers or ids, from any contiguous range") {
  const std::vector<float> numbers = {1, 2, 3};
  const std::array<std::int32_t, 2> ids = {4, 5};
  const rp::host_values<float> x = numbers, y = ids;
  CHECK(x.type() == rp::element::f32);
  CHECK(x.size() == 3);
  CHECK(x.data() == numbers.data());
  CHECK(x.part(1, 2).numbers()[1] == 3);
  CHECK(y.type() == rp::element::i32);
  CHECK(y.part(1, 1).ids()[0] == 5);
  const double one[] = {1};
  CHECK(rp::host_values<double>(one).type() == rp::element::f64);
  static_assert(!std::convertible_to<std::vector<double>, rp::host_values<float>>);
}

TEST_CASE("ids in place of numbers are refused, and numbers in place of ids") {
  const std::vector<double> numbers(3);
  const std::vector<std::int32_t> ids(3);
  CHECK_NOTHROW(rp::host_values<double>(ids).check_suits(rp::element::i32, "feed: x"));
  CHECK_THROWS_WITH_AS(rp::host_values<double>(ids).check_suits(rp::element::f64, "feed: x"),
                       "feed: x is given values of std::int32_t; must be double", rp::value_error);
  CHECK_THROWS_WITH_AS(rp::host_values<double>(numbers).check_suits(rp::element::i32, "feed: input ", 1),
                       "feed: input 1 is given values of double; must be std::int32_t", rp::value_error);
}
