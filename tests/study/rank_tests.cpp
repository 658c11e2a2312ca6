// SPDX-License-Identifier: MIT
#include <ridgepoint/study/comparison.hpp>

#include <doctest/doctest.h>

#include "support/near.hpp"

namespace rp = ridgepoint;
using rp::study::mann_whitney;
using rp::study::signed_rank;

TEST_CASE("mann_whitney: probabilities counted by hand") {
  CHECK(mann_whitney({1}, {2}) == 1);
  CHECK(mann_whitney({1, 2, 3}, {4, 5, 6}) == near(2 / 20.0));
  CHECK(mann_whitney({1, 2, 4}, {3, 5, 6}) == near(4 / 20.0));  // U = 1: one way each to 0 and 1
  CHECK(mann_whitney({4, 5, 6, 7}, {1, 2, 3}) == near(2 / 35.0));
  CHECK(mann_whitney({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}) == near(2 / 252.0));  // least_samples of each
  CHECK(mann_whitney({1, 4}, {2, 3}) == 1);                                   // U = 2, the middle
  CHECK(mann_whitney({1, 1, 2}, {2, 3, 3}) == near(4 / 20.0));  // ranks 1.5 1.5 3.5 | 3.5 5.5 5.5: two ways to 6.5
  CHECK(mann_whitney({7, 7, 7}, {7, 7, 7}) == 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(mann_whitney({}, {1})),
                       "mann_whitney: 0 and 1 samples; must be at least 1 of each", rp::value_error);
}

TEST_CASE("mann_whitney: for five and five samples, tables have U = 2 as the last value below 5 %") {
  CHECK(mann_whitney({1, 2, 3, 4, 7}, {5, 6, 8, 9, 10}) == near(8 / 252.0));
  CHECK(mann_whitney({1, 2, 3, 4, 8}, {5, 6, 7, 9, 10}) == near(14 / 252.0));
}

TEST_CASE("mann_whitney: normal approximation above 40 samples, close to the exact value below") {
  std::vector<double> a, b;
  for (int i = 0; i < 20; ++i) a.push_back(i), b.push_back(i + 3.5);
  const double exact = mann_whitney(a, b);  // 40 in total
  a.push_back(20), b.push_back(23.5);
  const double approximate = mann_whitney(a, b);
  CHECK(exact == near(approximate, 0.15));
  CHECK(mann_whitney(a, a) == 1);
  CHECK(mann_whitney(std::vector<double>(30, 1), std::vector<double>(30, 1)) == 1);
  CHECK(mann_whitney(std::vector<double>(30, 1), std::vector<double>(30, 2)) <= 1e-12);
}

TEST_CASE("signed_rank: probabilities counted by hand") {
  CHECK(signed_rank({1, 2, 3, 4, 5, 6}) == near(2 / 64.0));  // least_rounds
  CHECK(signed_rank({-1, 2, 3, 4, 5, 6}) == near(4 / 64.0));
  CHECK(signed_rank({-1, -2, -3}) == near(2 / 8.0));
  CHECK(signed_rank({1, -1}) == 1);
  CHECK(signed_rank({0, 0, 5}) == 1);  // one value that is not zero
  CHECK(signed_rank({}) == 1);
  std::vector<double> many(41, 0.5);
  CHECK(signed_rank(many) <= 1e-9);
  for (std::size_t i = 0; i < many.size(); i += 2) many[i] = -0.5;
  CHECK(signed_rank(many) >= 0.5);
}
