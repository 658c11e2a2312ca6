// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/measure.hpp>

#include "support/near.hpp"
#include "synthetic.hpp"

namespace rp = ridgepoint;

TEST_CASE("a measurement keeps the receipt and the spread of the time of one call") {
  long calls = 0;
  const rp::measurement m = rp::measure(
      [&] {
        ++calls;
        return synthetic::work_of(100, 10);
      },
      {.window_s = 10e-6, .windows = 5, .budget_s = 1});
  CHECK(m.receipt == synthetic::work_of(100, 10));
  CHECK(m.seconds.samples >= 1);
  CHECK(m.seconds.min > 0);
  CHECK(m.seconds.min <= m.seconds.median);
  CHECK(m.seconds.median <= m.seconds.max);
  CHECK(calls > 5);
  CHECK(rp::place(synthetic::machine(), m).flop_per_s == near(100 / m.seconds.median));
}

TEST_CASE("a function without a result is timed too, exceptions propagate, and options are checked") {
  CHECK(rp::measure([] {}, {.window_s = 1e-6, .windows = 2, .budget_s = 0.1}).receipt == rp::work{});
  const auto thrower = [] { throw rp::value_error("mine"); };
  CHECK_THROWS_AS(static_cast<void>(rp::measure(thrower)), rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::measure([] {}, {.windows = 0})), doctest::Contains("windows is 0"),
                       rp::value_error);
}
