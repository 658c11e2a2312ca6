// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/data/enlarged_images.hpp>

namespace rp = ridgepoint;

namespace {
/// Images of 2 × 2 pixels of two channels, counted upwards.
struct counted final : rp::dataset {
  [[nodiscard]] rp::index_t size() const override { return 3; }
  [[nodiscard]] rp::shape sample_shape() const override { return {2, 2, 2}; }
  [[nodiscard]] int classes() const override { return 3; }
  void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
    for (const rp::index_t row : rows) {
      for (int i = 0; i < 8; ++i) *x++ = static_cast<float>(8 * row + i);
      *labels++ = static_cast<std::int32_t>(row);
    }
  }
};
}  // namespace

TEST_CASE("every pixel of an enlarged image is repeated in both directions") {
  const counted small_ones;
  const rp::enlarged_images large(small_ones, 2);
  CHECK(large.sample_shape() == rp::shape{4, 4, 2});
  CHECK(large.size() == 3);
  CHECK(large.classes() == 3);
  std::vector<float> x(2 * 32);
  std::vector<std::int32_t> labels(2);
  const rp::index_t rows[] = {1, 0};
  large.gather(rows, x.data(), labels.data());
  CHECK(labels == std::vector<std::int32_t>{1, 0});
  const std::vector<float> upper{0, 1, 0, 1, 2, 3, 2, 3}, lower{4, 5, 4, 5, 6, 7, 6, 7};
  std::vector<float> expected;
  for (const auto* line : {&upper, &upper, &lower, &lower}) expected.insert(expected.end(), line->begin(), line->end());
  CHECK(std::vector<float>(x.begin() + 32, x.end()) == expected);
  for (float& value : expected) value += 8;
  CHECK(std::vector<float>(x.begin(), x.begin() + 32) == expected);
  CHECK_THROWS_AS(rp::enlarged_images(small_ones, 0), rp::value_error);
}
