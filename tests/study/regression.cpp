// SPDX-License-Identifier: MIT
#include <ridgepoint/study/regression.hpp>

#include <doctest/doctest.h>

#include <random>

#include "support/near.hpp"

namespace rp = ridgepoint;
namespace study = ridgepoint::study;
using study::observations;
using study::regression_order;

namespace {

/// The line 3 + 2·a − 5·b, plus noise, over a grid.
observations grid(double noise) {
  observations o{.features = {"a", "b", "constant"}, .rows = {}, .values = {}};
  std::mt19937 random(1);
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 4; ++b) {
      const double error = noise * (static_cast<double>(random()) / 4294967296.0 - 0.5);
      o.add({static_cast<double>(a), 10.0 * b, 7.0}, 3 + 2 * a - 50 * b + error);
    }
  return o;
}

}  // namespace

TEST_CASE("regression: an exact line has R2 of 1, weights in standard deviations, and 0 for a constant") {
  const study::regression fit = regress(grid(0));
  CHECK(fit.rows == 32);
  CHECK(fit.r2 == near(1));
  const double a = 2 * std::sqrt(63.0 / 12), b = 50 * std::sqrt(15.0 / 12);  // slope · deviation of 0 … 7 and 0 … 3
  CHECK(fit.of("a").weight == near(a / std::hypot(a, b)));
  CHECK(fit.of("b").weight == near(-b / std::hypot(a, b)));
  CHECK(fit.of("constant").weight == 0);
  CHECK(fit.of("constant").low == 0);
  CHECK_THROWS_WITH_AS(static_cast<void>(fit.of("c")), doctest::Contains("has no feature \"c\""), rp::value_error);
}

TEST_CASE("regression: Anscombe's first quartet: slope 0.5001 with standard error 0.1179, R2 0.667") {
  observations o{.features = {"x"}, .rows = {}, .values = {}};
  const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5},
               y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
  for (int i = 0; i < 11; ++i) o.add({x[i]}, y[i]);
  const study::regression fit = regress(o);
  CHECK(fit.r2 == near(0.66654, 1e-4));
  const double to_slope = 2.0315681 / 3.3166248;  // deviations, divisors n − 1, of y and x
  CHECK(fit.of("x").weight * to_slope == near(0.50009, 1e-4));
  CHECK((fit.of("x").high - fit.of("x").low) / 2 * to_slope == near(2.262157 * 0.117906, 2e-3));  // t of 9 degrees
}

TEST_CASE("regression: an interval contains the true weight in about 95 % of draws") {
  std::mt19937 random(7);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0 - 0.5; };
  int contained = 0;
  for (int draw = 0; draw < 400; ++draw) {
    observations o{.features = {"x", "unrelated"}, .rows = {}, .values = {}};
    for (int i = 0; i < 40; ++i) {
      const double x = uniform();
      o.add({x, uniform()}, x + uniform());
    }
    const study::regression_weight w = regress(o).of("unrelated");
    contained += w.low <= 0 && 0 <= w.high ? 1 : 0;
  }
  CHECK(contained >= 365);
  CHECK(contained <= 395);
}

TEST_CASE("regression: the second order adds the product of every two features that vary") {
  observations o{.features = {"a", "b", "constant"}, .rows = {}, .values = {}};
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) o.add({1.0 * a, 1.0 * b, 2.0}, 1.0 * a * b);
  const study::regression linear = regress(o), products = regress(o, regression_order::with_products);
  CHECK(linear.r2 < 0.9);
  CHECK(products.weights.size() == 6);
  CHECK(products.of("a·b").weight == near(1));
  CHECK(std::abs(products.of("a").weight) < 1e-12);
  CHECK(products.of("a·constant").weight == 0);
}

TEST_CASE("regression: refuses what has no unique weights, and says why") {
  using doctest::Contains;
  const auto refused = [](const observations& o, const char* why) {
    CHECK_THROWS_WITH_AS(static_cast<void>(regress(o)), Contains(why), rp::value_error);
  };
  observations o = grid(1);
  o.values.pop_back();
  refused(o, "32 rows of features for 31 values");
  o = grid(1);
  o.rows[5].pop_back();
  refused(o, "row 5 has 2 features; must be 3");
  o = grid(1);
  o.rows[3][1] = std::nan("");
  refused(o, "row 3 has a number that is not finite");
  o = grid(1);
  for (auto& row : o.rows) row[2] = row[0] - 3 * row[1];
  refused(o, "constant is a linear combination");
  o = grid(1);
  for (double& v : o.values) v = 4;
  refused(o, "32 values, all equal");
  o = grid(1);
  o.rows.resize(6), o.values.resize(6);
  refused(o, "6 rows for 2 features that vary; must be at least 7");
  refused({.features = {"a"}, .rows = {}, .values = {}}, "0 values");
}
