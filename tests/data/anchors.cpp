// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/image_datasets.hpp>

#include "support/near.hpp"

namespace rp = ridgepoint;

TEST_CASE("anchors of an image: RetinaNet's number, inside the image, nine of three areas at each place") {
  static_assert(rp::pyramid_anchors(800).count() == 120'087);
  constexpr rp::pyramid_anchors anchors(64);
  rp::index_t next = 0;
  anchors.for_each([&](rp::index_t number, const rp::box& b) {
    CHECK(number == next++);
    CHECK((b.x > 0 && b.x < 64 && b.y > 0 && b.y < 64));
    if (number == 3) CHECK((b.w == 32 && b.h == 32 && b.x == 4 && b.y == 4));
    if (number == 9) CHECK((b.x == 12 && b.y == 4));
    if (number == 8) CHECK((b.h / b.w == near(2) && std::sqrt(b.w * b.h) == near(50.7968, 1e-6)));
  });
  CHECK(next == 9 * (64 + 16 + 4 + 1 + 1));
  CHECK(anchors.count() == next);
  CHECK_THROWS_AS(static_cast<void>(anchors.side(61)), rp::value_error);
}

TEST_CASE("overlap and offsets of boxes") {
  const rp::box a{10, 10, 4, 4}, b{12, 10, 4, 4}, far{30, 10, 4, 4};
  CHECK(rp::overlap_of(a, a) == 1);
  CHECK(rp::overlap_of(a, b) == near(8.0 / 24));
  CHECK(rp::overlap_of(a, far) == 0);
  const auto offsets = rp::offsets_of({12, 9, 8, 2}, a);
  CHECK((offsets[0] == 0.5 && offsets[1] == -0.25));
  CHECK((offsets[2] == near(std::log(2.0)) && offsets[3] == near(-std::log(2.0))));
}
