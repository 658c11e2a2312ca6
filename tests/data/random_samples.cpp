// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/data/random_samples.hpp>

namespace rp = ridgepoint;

TEST_CASE("random samples are uniform around zero, of all classes, and the same each time they are gathered") {
  const rp::random_samples data({.count = 60, .sample = {5, 4, 3}, .classes = 7});
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
  rp::random_samples({.count = 1, .sample = {1}, .classes = 1, .seed = 1}).gather({&first, 1}, &other, &label);
  CHECK(other != x[0]);
}

TEST_CASE("empty random samples are refused") {
  CHECK_THROWS_WITH_AS(rp::random_samples({.count = 0, .sample = {1}, .classes = 1}),
                       "random_samples: count is 0; must be >= 1", rp::value_error);
  for (const rp::index_t classes : {rp::index_t{0}, rp::index_t{1} << 31})
    CHECK_THROWS_AS(rp::random_samples({.count = 1, .sample = {1}, .classes = classes}), rp::value_error);
  CHECK_THROWS_WITH_AS(rp::random_samples({.count = 1, .sample = {2, 0}, .classes = 1}),
                       "random_samples: a sample is 2x0; must have values", rp::shape_error);
}
