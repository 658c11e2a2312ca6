// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/image_processing.hpp>
#include <support/random_image.hpp>

namespace rp = ridgepoint;

namespace {
/// Definition of the equalisation, pixel by pixel, in double.
rp::grey_image equalised(const rp::grey_image& image) {
  const auto at_most = [&](int grey) {
    return static_cast<double>(
        std::count_if(image.pixels.begin(), image.pixels.end(), [=](int other) { return other <= grey; }));
  };
  const double darkest = at_most(*std::min_element(image.pixels.begin(), image.pixels.end()));
  const double all = static_cast<double>(image.pixels.size());
  rp::grey_image result = image;
  for (auto& grey : result.pixels)
    grey = static_cast<std::uint8_t>(std::floor(255 * (at_most(grey) - darkest) / (all - darkest) + 0.5));
  return result;
}
}  // namespace

TEST_CASE("small histograms are equalised as by hand") {
  CHECK(rp::equalise_histogram({1, 4, {7, 7, 8, 200}}).pixels == std::vector<std::uint8_t>{0, 0, 128, 255});
  CHECK(rp::equalise_histogram({2, 2, {3, 1, 2, 0}}).pixels == std::vector<std::uint8_t>{255, 85, 170, 0});
  CHECK(rp::equalise_histogram({1, 2, {254, 255}}).pixels == std::vector<std::uint8_t>{0, 255});
}

TEST_CASE("an image of one grey and an empty image are unchanged") {
  CHECK(rp::equalise_histogram({1, 3, {0, 0, 0}}).pixels == std::vector<std::uint8_t>{0, 0, 0});
  CHECK(rp::equalise_histogram({1, 3, {77, 77, 77}}).pixels == std::vector<std::uint8_t>{77, 77, 77});
  CHECK(rp::equalise_histogram({1, 1, {255}}).pixels == std::vector<std::uint8_t>{255});
  CHECK(rp::equalise_histogram({}).pixels.empty());
}

TEST_CASE("any histogram is equalised as defined, for any range of greys") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    rp::grey_image image =
        random_image(9, 1 + static_cast<rp::index_t>(seed), seed, 1 + 6 * static_cast<unsigned>(seed));
    for (auto& grey : image.pixels) grey = static_cast<std::uint8_t>(grey + (seed % 2 == 0 ? 0 : 255 - 6 * seed - 1));
    const auto [darkest, brightest] = std::minmax_element(image.pixels.begin(), image.pixels.end());
    if (*darkest == *brightest) continue;
    CAPTURE(seed);
    CHECK(rp::equalise_histogram(image) == equalised(image));
  }
}
