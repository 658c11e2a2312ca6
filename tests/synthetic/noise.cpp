// SPDX-License-Identifier: MIT
#include "measurement/synthetic/noise.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include <ridgepoint/core/error.hpp>

namespace rp = ridgepoint;

TEST_CASE("random samples are uniform around zero, of all classes, and the same each time they are gathered") {
  const synthetic::random_samples data({.count = 60, .sample = {5, 4, 3}, .classes = 7});
  CHECK(data.size() == 60);
  CHECK(data.sample_shape() == rp::shape{5, 4, 3});
  CHECK(data.classes() == 7);
  CHECK(data.gathered() == rp::gathering::ahead);
  std::set<float> values;
  std::set<std::int32_t> labels;
  double sum = 0;
  std::vector<float> x(60), again(120);
  for (rp::index_t row = 0; row < 60; ++row) {
    std::int32_t label = 0, both[2];
    data.gather({&row, 1}, x.data(), &label);
    const rp::index_t rows[] = {59 - row, row};
    data.gather(rows, again.data(), both);
    CHECK(std::equal(x.begin(), x.end(), again.begin() + 60));
    CHECK(label == both[1]);
    labels.insert(label);
    for (const float value : x) values.insert(value), sum += static_cast<double>(value);
  }
  CHECK(labels == std::set<std::int32_t>{0, 1, 2, 3, 4, 5, 6});
  CHECK(values.size() > 3590);  // of 3600
  CHECK(*values.begin() >= -0.5F);
  CHECK(*values.begin() < -0.49F);
  CHECK(*values.rbegin() < 0.5F);
  CHECK(*values.rbegin() > 0.49F);
  CHECK(std::abs(sum / 3600) < 0.02);
  float other = 0;
  std::int32_t label = 0;
  const rp::index_t first = 0;
  synthetic::random_samples({.count = 1, .sample = {1}, .classes = 1, .seed = 1}).gather({&first, 1}, &other, &label);
  CHECK(other != x[0]);
}

TEST_CASE("empty random samples are refused") {
  CHECK_THROWS_WITH_AS(synthetic::random_samples({.count = 0, .sample = {1}, .classes = 1}),
                       "random_samples: count is 0; must be >= 1", rp::value_error);
  for (const rp::index_t classes : {rp::index_t{0}, rp::index_t{1} << 31})
    CHECK_THROWS_AS(synthetic::random_samples({.count = 1, .sample = {1}, .classes = classes}), rp::value_error);
  CHECK_THROWS_WITH_AS(synthetic::random_samples({.count = 1, .sample = {2, 0}, .classes = 1}),
                       "random_samples: a sample is 2x0; must have values", rp::shape_error);
}

TEST_CASE("random tokens cover the vocabulary, targets are the next tokens, the same each time they are gathered") {
  const synthetic::random_tokens data({.count = 40, .length = 9, .vocabulary = 6});
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
  synthetic::random_tokens({.count = 40, .length = 9, .vocabulary = 6, .seed = 1})
      .gather(std::vector<rp::index_t>{39}, x.data(), both.data());
  CHECK(!std::equal(next.begin(), next.end(), both.begin()));
}

TEST_CASE("empty random tokens are refused") {
  CHECK_THROWS_WITH_AS(synthetic::random_tokens({.count = 0, .length = 1, .vocabulary = 1}),
                       "random_tokens: count is 0 and length 1; must be >= 1", rp::value_error);
  CHECK_THROWS_AS(synthetic::random_tokens({.count = 1, .length = 0, .vocabulary = 1}), rp::value_error);
  for (const rp::index_t vocabulary : {rp::index_t{0}, (rp::index_t{1} << 24) + 1})
    CHECK_THROWS_AS(synthetic::random_tokens({.count = 1, .length = 1, .vocabulary = vocabulary}), rp::value_error);
  CHECK_NOTHROW(synthetic::random_tokens({.count = 1, .length = 1, .vocabulary = rp::index_t{1} << 24}));
}
