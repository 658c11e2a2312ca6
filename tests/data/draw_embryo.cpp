// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/synthetic_embryos.hpp>
#include <support/fnv.hpp>

namespace rp = ridgepoint;

namespace {
rp::grey_image drawn_embryo(int cells, std::uint64_t embryo, std::uint64_t image) {
  return rp::embryo_painter(rp::random_stream(42, embryo)).draw(cells, rp::random_stream(43, image));
}
/// Returns whether the embryo with its shell is inside study C's centre crop: outside is at most dirt.
double shade_outside(const rp::grey_image& image) {
  double sum = 0, count = 0;
  for (rp::index_t y = 0; y < image.height; ++y)
    for (rp::index_t x = 0; x < image.width; ++x)
      if (y < 80 || y >= 400 || x < 80 || x >= 400) sum += std::abs(image.at(y, x) - 128), ++count;
  return sum / count;
}
}  // namespace

TEST_CASE("an embryo has the same bytes on every machine") {
  std::vector<std::uint8_t> all;
  for (int cells = 1; cells <= 4; ++cells)
    for (std::uint64_t embryo = 0; embryo < 3; ++embryo) {
      const auto image = drawn_embryo(cells, embryo, embryo + 10);
      CHECK(image.height == 480);
      CHECK(image.width == 480);
      all.insert(all.end(), image.pixels.begin(), image.pixels.end());
    }
  CHECK(fnv(all) == 1214402250175384776ULL);
}

TEST_CASE("images of an embryo do not depend on earlier ones") {
  rp::embryo_painter painter(rp::random_stream(42, 3));
  static_cast<void>(painter.draw(4, rp::random_stream(43, 1)));
  CHECK(painter.draw(2, rp::random_stream(43, 9)) == drawn_embryo(2, 3, 9));
  CHECK(drawn_embryo(2, 3, 9) != drawn_embryo(2, 3, 10));
  CHECK(drawn_embryo(2, 3, 9) != drawn_embryo(2, 4, 9));
}

TEST_CASE("an embryo is centred, equally bright and dark; its number of cells changes the pattern, not the contrast") {
  std::array<double, 4> steepness{};
  for (int cells = 1; cells <= 4; ++cells)
    for (std::uint64_t image = 0; image < 25; ++image) {
      const auto drawn = drawn_embryo(cells, image / 5, image);
      CHECK(shade_outside(drawn) < 14);
      double sum = 0, distance = 0;
      for (const int grey : drawn.pixels) sum += grey - 128, distance += std::abs(grey - 128);
      CHECK(std::abs(sum) / (480 * 480) < 6);
      steepness[static_cast<std::size_t>(cells - 1)] += distance / 25 / (480 * 480);
    }
  MESSAGE("mean distance from grey: ", steepness[0], " ", steepness[1], " ", steepness[2], " ", steepness[3]);
  const auto [least, most] = std::minmax_element(steepness.begin(), steepness.end());
  CHECK(*most < 1.5 * *least);
  CHECK(*least > 4);
}
