// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <vector>

#include <ridgepoint/data/image_datasets.hpp>

namespace rp = ridgepoint;

namespace {
/// Returns images of 2 × 2 pixels of two channels with ascending values.
struct counted final : rp::dataset {
  rp::shape extents{2, 2, 2};
  [[nodiscard]] rp::index_t size() const override { return 3; }
  [[nodiscard]] rp::shape sample_shape() const override { return extents; }
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

  const rp::enlarged_images twice(large, 2), at_once(small_ones, 4);
  std::vector<float> one(2 * 128), other(2 * 128);
  twice.gather(rows, one.data(), labels.data());
  at_once.gather(rows, other.data(), labels.data());
  CHECK(one == other);
}

TEST_CASE("invalid enlargements are refused") {
  counted images;
  CHECK_THROWS_WITH_AS(rp::enlarged_images(images, 0), "enlarged_images: factor is 0; must be >= 1", rp::value_error);
  CHECK_THROWS_AS(rp::enlarged_images(images, rp::index_t{1} << 32), rp::shape_error);
  CHECK_THROWS_AS(rp::enlarged_images(images, rp::index_t{1} << 30), rp::shape_error);
  for (const rp::shape& extents : {rp::shape{8}, {2, 4}, {0, rp::index_t{1} << 62, 1}}) {
    images.extents = extents;
    CHECK_THROWS_WITH_AS(
        rp::enlarged_images(images, 2),
        rp::concat("enlarged_images: a sample is ", extents, "; must be height x width x channels").c_str(),
        rp::shape_error);
  }
}
