// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <clocale>
#include <cstdint>
#include <limits>

#include <ridgepoint/core/concat.hpp>

namespace rp = ridgepoint;

namespace somewhere {
struct point {
  int x, y;
};
std::string to_string(const point& p) { return rp::concat('(', p.x, ", ", p.y, ')'); }
}  // namespace somewhere

TEST_CASE("parts are concatenated unchanged") {
  CHECK(rp::concat() == "");
  CHECK(rp::concat("gemm: a is ", 3, 'x', 4) == "gemm: a is 3x4");
  CHECK(rp::concat(std::string("a"), std::string_view("b"), 'c', "d", true, false) == "abcdtruefalse");
  CHECK(rp::concat("at ", somewhere::point{1, -2}) == "at (1, -2)");
}

TEST_CASE("integers are printed in full") {
  CHECK(rp::concat(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
  CHECK(rp::concat(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(rp::concat(std::int8_t{-5}, std::uint8_t{200}) == "-5200");  // numbers, not characters
}

TEST_CASE("floating-point numbers have six digits and a decimal point in every locale") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  CHECK(rp::concat(1.5, ' ', 0.1F, ' ', 1e300, ' ', 2.0 / 3) == "1.5 0.1 1e+300 0.666667");
  std::setlocale(LC_ALL, before.c_str());
  CHECK(rp::concat(std::numeric_limits<double>::infinity(), ' ', std::numeric_limits<float>::quiet_NaN()) == "inf nan");
  CHECK(rp::concat(-std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(rp::concat(-std::numeric_limits<float>::infinity()) == "-inf");
  CHECK(rp::concat(-std::numeric_limits<double>::denorm_min()) == "-4.94066e-324");
  CHECK(rp::concat(std::numeric_limits<long double>::max()).size() < 32);
}
