// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <ridgepoint/core/random.hpp>

#include "benchmarks/flags/fixed_point.hpp"

using flags::fixed_point;

namespace {

/// Returns the distance of a number from a double, in steps of 2⁻⁸⁰.
double steps_from(fixed_point x, double expected) { return static_cast<double>((x - fixed_point(expected)).size()); }
/// Returns the rounding error of a double of that size, in the same steps.
double rounding_of(double x) { return std::abs(x) * 0x1p-52 * 0x1p80 + 16; }

constexpr double infinity = std::numeric_limits<double>::infinity();
bool is_infinity(fixed_point x, double sign) {
  return !x.is_nan() && !x.is_finite() && x == fixed_point(sign * infinity);
}

}  // namespace

TEST_CASE("a fixed_point has the value of its source") {
  CHECK(fixed_point(0.75F) == fixed_point(3) / fixed_point(4));
  CHECK(fixed_point(-0x1p-60F).size() == fixed_point::size_type{1} << 20);
  CHECK(fixed_point(0x1.fffffep40F) == fixed_point(0x1.fffffep40));
  CHECK(fixed_point(0x1p-140F) == fixed_point(0));
  CHECK(fixed_point(-0.0F) == fixed_point(0));
  CHECK(fixed_point(std::numeric_limits<float>::quiet_NaN()).is_nan());
  CHECK(fixed_point(std::numeric_limits<double>::quiet_NaN()).is_nan());
  CHECK(is_infinity(fixed_point(-std::numeric_limits<float>::infinity()), -1));
}

TEST_CASE("fixed_point arithmetic equals that of double up to double's rounding") {
  ridgepoint::random_stream random(1);
  for (int i = 0; i < 2000; ++i) {
    const double x = random.uniform(-200, 200), y = random.uniform(-3, 3);
    CAPTURE(x);
    CAPTURE(y);
    CHECK(steps_from(fixed_point(x) + fixed_point(y), x + y) <= rounding_of(x + y));
    CHECK(steps_from(fixed_point(x) * fixed_point(y), x * y) <= rounding_of(x * y));
    CHECK(steps_from(fixed_point(x) / fixed_point(y), x / y) <= rounding_of(x / y));
    CHECK(steps_from(sqrt(fixed_point(std::abs(x))), std::sqrt(std::abs(x))) <= rounding_of(std::sqrt(std::abs(x))));
    CHECK(steps_from(exp(fixed_point(y)), std::exp(y)) <= 2 * rounding_of(std::exp(y)));
    CHECK(steps_from(tanh(fixed_point(y)), std::tanh(y)) <= 2 * rounding_of(1));
    CHECK(steps_from(sigmoid(fixed_point(y)), 1 / (1 + std::exp(-y))) <= 2 * rounding_of(1));
    CHECK(steps_from(log(fixed_point(std::abs(x))), std::log(std::abs(x))) <= 2 * rounding_of(std::log(std::abs(x))));
    CHECK(static_cast<double>(fixed_point(x)) == x);
    CHECK((fixed_point(x) < fixed_point(y)) == (x < y));
  }
}

TEST_CASE("NaN and infinities of fixed_point follow IEEE 754") {
  const fixed_point nan(std::numeric_limits<float>::quiet_NaN()), up(infinity), down(-infinity), one(1), none(0);
  for (const fixed_point x : {nan + one, nan * none, one / nan, up - up, up * none, up / down, none / none, exp(nan),
                              tanh(nan), sigmoid(nan), sqrt(nan), -nan, log(nan), log(none), log(-one)})
    CHECK(x.is_nan());
  CHECK(is_infinity(up + one, 1));
  CHECK(is_infinity(up * -one, -1));
  CHECK(is_infinity(-one / none, -1));
  CHECK(is_infinity(sqrt(up), 1));
  CHECK(one / down == none);
  CHECK(exp(down) == none);
  CHECK(is_infinity(log(up), 1));
  CHECK(tanh(up) == one);
  CHECK(tanh(down) == -one);
  CHECK(sigmoid(up) == one);
  CHECK(sigmoid(down) == none);
  CHECK_FALSE(nan == nan);
  CHECK_FALSE(nan < one);
  CHECK_FALSE(nan >= one);
}
