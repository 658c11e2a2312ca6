// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/png.hpp>
#include <support/png.hpp>
#include <support/random_image.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("a written image is a grey PNG file of 8 bits that reads back pixel by pixel") {
  const temporary_directory there;
  for (const auto& [h, w] : {std::pair<rp::index_t, rp::index_t>{1, 1}, {1, 300}, {300, 1}, {31, 17}, {480, 480}}) {
    const rp::grey_image image = random_image(h, w);
    rp::write_png(there / "image", image);
    CHECK(rp::read_png(there / "image") == image);
    CHECK(read_bytes(there / "image")
              .starts_with(png::signature + png::ihdr({.width = static_cast<std::uint32_t>(w),
                                                       .height = static_cast<std::uint32_t>(h)})));
  }
  CHECK(there.entries() == 1);
}

TEST_CASE("an invalid image is not written, and an existing file stays") {
  const temporary_directory there;
  write_bytes(there / "image", "before");
  const auto refused = [&](const rp::grey_image& image, const char* because) {
    CHECK_THROWS_WITH_AS(rp::write_png(there / "image", image), doctest::Contains(because), rp::shape_error);
    CHECK(read_bytes(there / "image") == "before");
  };
  refused({}, "write_png: an image of 0 x 0; must be >= 1 and <= 1000000 each");
  refused({1, 1'000'001, {}}, "write_png: an image of 1 x 1000001");
  refused({2, 2, {1, 2, 3}}, "write_png: 3 bytes for an image of 2 x 2; must be one per pixel");
  CHECK_THROWS_AS(rp::write_png(there / "absent" / "image", random_image(1, 1)), rp::data_error);
}
