// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/image_processing.hpp>
#include <support/random_image.hpp>

namespace rp = ridgepoint;

namespace {
/// Definition: the mean over an area, counted in tiles that divide both images.
rp::grey_image resized(const rp::grey_image& image, rp::index_t height, rp::index_t width) {
  rp::grey_image result = rp::black_image(height, width);
  for (rp::index_t i = 0; i < height; ++i)
    for (rp::index_t j = 0; j < width; ++j) {
      rp::index_t sum = 0;
      for (rp::index_t y = i * image.height; y < (i + 1) * image.height; ++y)
        for (rp::index_t x = j * image.width; x < (j + 1) * image.width; ++x) sum += image.at(y / height, x / width);
      const double mean = static_cast<double>(sum) / static_cast<double>(image.height * image.width);
      result.at(i, j) = static_cast<std::uint8_t>(std::floor(mean + 0.5));
    }
  return result;
}
}  // namespace

TEST_CASE("small images are resized as by hand") {
  CHECK(rp::resize_image({2, 2, {1, 2, 3, 5}}, 1, 1).pixels == std::vector<std::uint8_t>{3});       // 11/4
  CHECK(rp::resize_image({1, 3, {10, 20, 60}}, 1, 2).pixels == std::vector<std::uint8_t>{13, 47});  // 40/3, 140/3
  CHECK(rp::resize_image({1, 2, {10, 20}}, 1, 3).pixels == std::vector<std::uint8_t>{10, 15, 20});
  CHECK(rp::resize_image({1, 2, {10, 20}}, 2, 4).pixels == std::vector<std::uint8_t>{10, 10, 20, 20, 10, 10, 20, 20});
  CHECK(rp::resize_image({1, 2, {0, 1}}, 1, 1).pixels == std::vector<std::uint8_t>{1});  // halves round up
}

TEST_CASE("images of any two sizes are resized as defined") {
  const rp::index_t sizes[] = {1, 2, 3, 5, 8, 13, 30};
  for (const rp::index_t h : sizes)
    for (const rp::index_t w : sizes) {
      const rp::grey_image image = random_image(h, w, static_cast<std::uint64_t>(100 * h + w));
      CHECK(rp::resize_image(image, h, w) == image);
      for (const rp::index_t height : {1, 4, 7})
        for (const rp::index_t width : {2, 5, 9})
          CHECK(rp::resize_image(image, height, width) == resized(image, height, width));
    }
}

TEST_CASE("study C's images are reduced by means of five by five pixels") {
  const rp::grey_image image = random_image(320, 320), small = rp::resize_image(image, 64, 64);
  CHECK(small == resized(image, 64, 64));
}

TEST_CASE("an image without pixels is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::resize_image(rp::black_image(0, 3), 1, 1)),
                       "resize_image: from 0 x 3 to 1 x 1; must be >= 1 each", rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(rp::resize_image(rp::black_image(3, 3), 0, 1)), rp::shape_error);
}
