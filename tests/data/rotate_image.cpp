// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>
#include <numbers>

#include <ridgepoint/data/image_processing.hpp>
#include <support/random_image.hpp>

namespace rp = ridgepoint;

namespace {
/// Definition, in double; −1 within 1e-3 of the edge, where either result is correct.
int turned_pixel(const rp::grey_image& image, double degrees, rp::index_t i, rp::index_t j) {
  const double angle = degrees * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  const double h = static_cast<double>(image.height), w = static_cast<double>(image.width);
  const double u = static_cast<double>(j) - (w - 1) / 2, v = static_cast<double>(i) - (h - 1) / 2;
  const double y = (h - 1) / 2 + s * u + c * v, x = (w - 1) / 2 + c * u - s * v;
  for (const double from_edge : {y + 0.5, h - 0.5 - y, x + 0.5, w - 0.5 - x})
    if (std::abs(from_edge) < 1e-3) return -1;
  if (y < -0.5 || y > h - 0.5 || x < -0.5 || x > w - 0.5) return 0;
  const auto grey = [&](double row, double column) {
    return static_cast<double>(image.at(static_cast<rp::index_t>(std::clamp(row, 0.0, h - 1)),
                                        static_cast<rp::index_t>(std::clamp(column, 0.0, w - 1))));
  };
  const double top = std::floor(y), left = std::floor(x), fy = y - top, fx = x - left;
  return static_cast<int>(std::lround((1 - fy) * ((1 - fx) * grey(top, left) + fx * grey(top, left + 1)) +
                                      fy * ((1 - fx) * grey(top + 1, left) + fx * grey(top + 1, left + 1))));
}
}  // namespace

TEST_CASE("right angles move pixels exactly, counter-clockwise") {
  const rp::grey_image image{3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  CHECK(rp::rotate_image(image, 0) == image);
  CHECK(rp::rotate_image(image, 90).pixels == std::vector<std::uint8_t>{3, 6, 9, 2, 5, 8, 1, 4, 7});
  CHECK(rp::rotate_image(image, 180).pixels == std::vector<std::uint8_t>{9, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(rp::rotate_image(image, -90) == rp::rotate_image(image, 270));
  CHECK(rp::rotate_image(image, 360) == image);
  const rp::grey_image even = random_image(64, 64);
  CHECK(rp::rotate_image(rp::rotate_image(even, 90), 270) == even);
  CHECK(rp::rotate_image(rp::rotate_image(even, 90), 90) == rp::rotate_image(even, 180));
}

TEST_CASE("a rotation of 2 x 2 by an eighth turn, by hand: each pixel is halfway between two, a fifth outside") {
  CHECK(rp::rotate_image({2, 2, {10, 30, 50, 70}}, 45).pixels == std::vector<std::uint8_t>{20, 50, 30, 60});
}

TEST_CASE("at study C's twenty angles a pixel matches the definition to two greys") {
  for (const auto& [h, w] : {std::pair<rp::index_t, rp::index_t>{40, 40}, {33, 33}, {20, 47}, {1, 9}, {1, 1}}) {
    const rp::grey_image image = random_image(h, w, 7);
    for (int step = 0; step < 20; ++step) {
      const rp::grey_image turned = rp::rotate_image(image, 18.0 * step);
      CHECK(turned.height == h);
      CHECK(turned.width == w);
      int off = 0, judged = 0, bias = 0;
      for (rp::index_t i = 0; i < h; ++i)
        for (rp::index_t j = 0; j < w; ++j) {
          const int wanted = turned_pixel(image, 18.0 * step, i, j);
          if (wanted < 0) continue;
          ++judged;
          bias += turned.at(i, j) - wanted;
          off += std::abs(wanted - turned.at(i, j)) > 2 ? 1 : 0;
        }
      CAPTURE(h);
      CAPTURE(step);
      CHECK(off == 0);
      if (h > 9) CHECK(4 * std::abs(bias) < judged);  // rounded, not truncated
      CHECK(judged * 10 >= h * w * 9);
    }
  }
}

TEST_CASE("pixels rotated out of the image are dropped, pixels from outside are black") {
  rp::grey_image white = rp::black_image(100, 100);
  for (auto& grey : white.pixels) grey = 255;
  const rp::grey_image turned = rp::rotate_image(white, 45);
  CHECK(turned.at(0, 0) == 0);
  CHECK(turned.at(99, 99) == 0);
  CHECK(turned.at(50, 50) == 255);
  CHECK(turned.at(0, 50) == 255);
  for (const int grey : turned.pixels) CHECK((grey == 0 || grey == 255));
}

TEST_CASE("an angle that is not finite is refused") {
  CHECK_THROWS_AS(static_cast<void>(rp::rotate_image(rp::black_image(2, 2), std::numeric_limits<double>::infinity())),
                  rp::value_error);
  CHECK(rp::rotate_image({}, 18).pixels.empty());
}
