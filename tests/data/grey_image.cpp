// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>

#include <ridgepoint/data/image_processing.hpp>

namespace rp = ridgepoint;

TEST_CASE("a grey image is stored row by row") {
  rp::grey_image image{2, 3, {1, 2, 3, 4, 5, 6}};
  CHECK(image.at(0, 2) == 3);
  CHECK(image.at(1, 0) == 4);
  image.at(1, 2) = 9;
  CHECK(image == rp::grey_image{2, 3, {1, 2, 3, 4, 5, 9}});
  CHECK(image != rp::grey_image{3, 2, {1, 2, 3, 4, 5, 9}});
}

TEST_CASE("a black image has one zero per pixel; an invalid size is refused") {
  CHECK(rp::black_image(2, 2) == rp::grey_image{2, 2, {0, 0, 0, 0}});
  CHECK(rp::black_image(0, 7).pixels.empty());
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::black_image(-1, 2)), "grey_image: -1 x 2; must be >= 0 each",
                       rp::shape_error);
  CHECK_THROWS_AS(static_cast<void>(rp::black_image(std::numeric_limits<rp::index_t>::max(), 2)), rp::shape_error);
}
