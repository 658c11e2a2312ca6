// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <ridgepoint/data/image_datasets.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;

namespace {
/// White images of 32 pixels, of ten classes in rotation.
struct white final : rp::dataset {
  rp::shape extents{32, 32, 1};
  int count = 10;
  [[nodiscard]] rp::index_t size() const override { return 20; }
  [[nodiscard]] rp::shape sample_shape() const override { return extents; }
  [[nodiscard]] int classes() const override { return count; }
  void gather(std::span<const rp::index_t> rows, float* x, std::int32_t* labels) const override {
    for (const rp::index_t row : rows) {
      x = std::fill_n(x, 32 * 32, 1.0F);
      *labels++ = static_cast<std::int32_t>(row % 10);
    }
  }
};
}  // namespace

TEST_CASE("an image is at the place given by its targets, and the same each time it is gathered") {
  constexpr rp::index_t pixels = 128, classes = 12;
  const white images;
  const rp::placed_images placed(images, {.pixels = pixels, .classes = classes});
  const rp::pyramid_anchors anchors(pixels);
  REQUIRE(placed.target_shape() == rp::shape{anchors.count() * (classes + 4)});
  std::vector<float> x(pixels * pixels), again(x.size());
  std::vector<float> t(static_cast<std::size_t>(placed.target_shape().size())), t_again(t.size());
  std::set<double> sides;
  for (rp::index_t row = 0; row < placed.size(); ++row) {
    CAPTURE(row);
    placed.gather({&row, 1}, x.data(), t.data());
    placed.gather({&row, 1}, again.data(), t_again.data());
    CHECK(x == again);
    double left = pixels, right = -1, top = pixels, bottom = -1, sum = 0;
    for (int h = 0; h < pixels; ++h)
      for (int w = 0; w < pixels; ++w)
        if (x[static_cast<std::size_t>(h * pixels + w)] == 1) {
          left = std::min<double>(left, w), right = std::max<double>(right, w + 1);
          top = std::min<double>(top, h), bottom = std::max<double>(bottom, h + 1);
          ++sum;
        }
    CHECK(sum == (right - left) * (bottom - top));
    sides.insert(right - left);
    int found = 0;
    anchors.for_each([&](rp::index_t number, const rp::box& a) {
      const float* const logits = t.data() + number * classes;
      const float* const b = t.data() + anchors.count() * classes + number * 4;
      const bool there = logits[row % 10] == 1;
      CHECK(std::accumulate(logits, logits + classes, 0.0F) == (there ? 1 : 0));
      CHECK(std::isnan(b[0]) == !there);
      if (!there) return;
      ++found;
      CHECK(a.x + b[0] * a.w == near((left + right) / 2, 1e-5));
      CHECK(a.y + b[1] * a.h == near((top + bottom) / 2, 1e-5));
      CHECK(a.w * std::exp(b[2]) == near(right - left, 1e-5));
      CHECK(a.h * std::exp(b[3]) == near(bottom - top, 1e-5));
    });
    CHECK(found > 0);
  }
  CHECK(sides.size() > 1);
}

TEST_CASE("invalid placements are refused") {
  white images;
  CHECK_THROWS_WITH_AS(rp::placed_images(images, {.pixels = 64, .classes = 9}),
                       "placed_images: has 10 classes; must be at least 1 and at most 9", rp::value_error);
  CHECK_THROWS_WITH_AS(rp::placed_images(images, {.pixels = 31, .classes = 10}),
                       "placed_images: a sample is 32x32x1; must be a square image of at most 31 pixels",
                       rp::shape_error);
  for (const rp::shape& extents : {rp::shape{32, 16, 2}, {0, 0, 1}, {32, 32, 0}, {32, 32}}) {
    images.extents = extents;
    CHECK_THROWS_AS(rp::placed_images(images, {.pixels = 64, .classes = 10}), rp::shape_error);
  }
  images.extents = {32, 32, 1}, images.count = 0;
  CHECK_THROWS_AS(rp::placed_images(images, {.pixels = 64, .classes = 10}), rp::value_error);
}

TEST_CASE("placements that are too large are refused before any allocation") {
  constexpr rp::index_t most = std::numeric_limits<rp::index_t>::max();
  white images;
  CHECK_THROWS_AS(rp::placed_images(images, {.pixels = most, .classes = 10}), rp::shape_error);
  CHECK_THROWS_AS(rp::placed_images(images, {.pixels = rp::index_t{1} << 31, .classes = 10}), rp::shape_error);
  for (const rp::index_t classes : {most, rp::index_t{1} << 56})
    CHECK_THROWS_AS(rp::placed_images(images, {.pixels = 64, .classes = classes}), rp::shape_error);
  images.extents = {1, 1, rp::index_t{1} << 60};
  CHECK_THROWS_AS(rp::placed_images(images, {.pixels = 64, .classes = 10}), rp::shape_error);
}
