// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/reviews.hpp>

namespace rp = ridgepoint;

namespace {
using reviews = std::vector<std::vector<std::int32_t>>;
constexpr auto negative = rp::sentiment::negative, positive = rp::sentiment::positive;
}  // namespace

TEST_CASE_TEMPLATE("the last ids of a review are kept, padding comes first", Target, float, std::int32_t) {
  const rp::review_dataset<Target> data({{1, 7, 8, 9}, {1}, {1, 5, 6}, {}}, {positive, negative, positive, negative},
                                        3);
  CHECK(data.size() == 4);
  CHECK(data.sample_shape() == rp::shape{3});
  CHECK(data.target_shape() == rp::shape{});
  CHECK(data.classes() == (std::same_as<Target, float> ? 0 : 2));
  CHECK(data.gathered() == rp::gathering::on_any_threads);
  const std::vector<rp::index_t> rows{3, 0, 1, 2};
  std::vector<float> x(12, 99);
  std::vector<Target> targets(4);
  data.gather(rows, x.data(), targets.data());
  CHECK(x == std::vector<float>{0, 0, 0, 7, 8, 9, 0, 0, 1, 1, 5, 6});
  CHECK(targets == std::vector<Target>{0, 1, 0, 1});
}

TEST_CASE("a length below one, missing sentiments and ids that float cannot hold are refused") {
  const auto make = [](std::int32_t id, rp::index_t length) {
    return rp::review_dataset<float>({{1, id}}, {positive}, length).size();
  };
  CHECK(make((1 << 24) - 1, 9) == 1);
  CHECK_THROWS_WITH_AS(make(1, 0), "review_dataset: length is 0; must be >= 1", rp::value_error);
  CHECK_THROWS_AS(make(1, -1), rp::value_error);
  CHECK_THROWS_WITH_AS(make(1 << 24, 9), "review_dataset: an id is 16777216; must be >= 0 and < 16777216",
                       rp::value_error);
  CHECK_THROWS_AS(make(-1, 9), rp::value_error);
  CHECK_THROWS_WITH_AS((rp::review_dataset<float>({{1}, {1}}, {positive}, 1)),
                       "review_dataset: 2 reviews with 1 sentiments; must be equal", rp::shape_error);
}
