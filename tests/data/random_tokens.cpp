// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/data/random_samples.hpp>

namespace rp = ridgepoint;

TEST_CASE("random tokens cover the vocabulary, targets are the next tokens, the same each time they are gathered") {
  const rp::random_tokens data({.count = 40, .length = 9, .vocabulary = 6});
  CHECK(data.size() == 40);
  CHECK(data.sample_shape() == rp::shape{9});
  CHECK(data.target_shape() == rp::shape{9});
  CHECK(data.classes() == 6);
  CHECK(data.gathered() == rp::gathering::on_any_threads);
  std::vector<float> x(9), again(18);
  std::vector<std::int32_t> next(9), both(18);
  std::set<std::int32_t> seen;
  std::set<std::vector<std::int32_t>> sequences;
  for (rp::index_t row = 0; row < 40; ++row) {
    data.gather({&row, 1}, x.data(), next.data());
    const rp::index_t rows[] = {39 - row, row};
    data.gather(rows, again.data(), both.data());
    CHECK(std::equal(x.begin(), x.end(), again.begin() + 9));
    CHECK(std::equal(next.begin(), next.end(), both.begin() + 9));
    for (std::size_t t = 0; t + 1 < 9; ++t) CHECK(static_cast<std::int32_t>(x[t + 1]) == next[t]);
    seen.insert(next.begin(), next.end());
    sequences.insert(next);
  }
  CHECK(seen == std::set<std::int32_t>{0, 1, 2, 3, 4, 5});
  CHECK(sequences.size() == 40);
  rp::random_tokens({.count = 40, .length = 9, .vocabulary = 6, .seed = 1})
      .gather(std::vector<rp::index_t>{39}, x.data(), both.data());
  CHECK(!std::equal(next.begin(), next.end(), both.begin()));
}

TEST_CASE("empty random tokens are refused") {
  CHECK_THROWS_WITH_AS(rp::random_tokens({.count = 0, .length = 1, .vocabulary = 1}),
                       "random_tokens: count is 0 and length 1; must be >= 1", rp::value_error);
  CHECK_THROWS_AS(rp::random_tokens({.count = 1, .length = 0, .vocabulary = 1}), rp::value_error);
  for (const rp::index_t vocabulary : {rp::index_t{0}, (rp::index_t{1} << 24) + 1})
    CHECK_THROWS_AS(rp::random_tokens({.count = 1, .length = 1, .vocabulary = vocabulary}), rp::value_error);
  CHECK_NOTHROW(rp::random_tokens({.count = 1, .length = 1, .vocabulary = rp::index_t{1} << 24}));
}
