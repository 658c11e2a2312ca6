// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdlib>

#include <ridgepoint/data/image_processing.hpp>

namespace rp = ridgepoint;

TEST_CASE("each grey becomes its distance from 128") {
  rp::grey_image all = rp::black_image(16, 16);
  for (std::size_t i = 0; i < 256; ++i) all.pixels[i] = static_cast<std::uint8_t>(i);
  const rp::grey_image inverted = rp::invert_shadows(all);
  CHECK(inverted.height == 16);
  for (int grey = 0; grey < 256; ++grey) CHECK(inverted.pixels[static_cast<std::size_t>(grey)] == std::abs(grey - 128));
  CHECK(rp::invert_shadows({1, 3, {0, 128, 255}}).pixels == std::vector<std::uint8_t>{128, 0, 127});
}
