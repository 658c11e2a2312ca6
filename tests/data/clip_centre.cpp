// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/image_processing.hpp>
#include <support/random_image.hpp>

namespace rp = ridgepoint;

TEST_CASE("the centre of an image is cut out; odd margins are larger on the right and below") {
  const rp::grey_image image{3, 4, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  CHECK(rp::clip_centre(image, 3) == rp::grey_image{3, 3, {1, 2, 3, 5, 6, 7, 9, 10, 11}});
  CHECK(rp::clip_centre(image, 2) == rp::grey_image{2, 2, {2, 3, 6, 7}});
  CHECK(rp::clip_centre(image, 1) == rp::grey_image{1, 1, {6}});
}

TEST_CASE("rows and columns 80 to 399 of study C's images remain") {
  const rp::grey_image image = random_image(480, 480), clipped = rp::clip_centre(image, 320);
  CHECK(clipped.pixels.size() == 320 * 320);
  for (rp::index_t y = 0; y < 320; y += 29)
    for (rp::index_t x = 0; x < 320; x += 11) CHECK(clipped.at(y, x) == image.at(80 + y, 80 + x));
  CHECK(clipped.at(319, 319) == image.at(399, 399));
  CHECK(rp::clip_centre(image, 480) == image);
}

TEST_CASE("a square larger than the image is refused") {
  const rp::grey_image image = rp::black_image(3, 4);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::clip_centre(image, 4)),
                       "clip_centre: side is 4 of an image of 3 x 4; must be >= 1 and fit into it", rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(rp::clip_centre(image, 0)), rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(rp::clip_centre(rp::black_image(4, 3), 4)), rp::shape_error);
}
