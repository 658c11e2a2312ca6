// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <ridgepoint/data/draw_digit.hpp>

#include "support/fnv.hpp"

namespace rp = ridgepoint;

namespace {

std::vector<std::uint8_t> drawn(int digit, std::uint64_t seed) {
  std::vector<std::uint8_t> pixels(rp::digit_side * rp::digit_side);
  rp::digit_painter(rp::random_stream(seed)).draw(digit, pixels);
  return pixels;
}

}  // namespace

TEST_CASE("the same seed draws the same bytes with every compiler, flag and platform") {
  std::uint64_t hash = fnv({});
  for (std::uint64_t seed = 0; seed < 500; ++seed) hash = fnv(drawn(static_cast<int>(seed % 10), seed), hash);
  CHECK(hash == 5'149'033'215'168'385'546U);
}

TEST_CASE("every digit has a plausible amount of ink, inside the image") {
  for (int digit = 0; digit < 10; ++digit)
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      CAPTURE(digit);
      CAPTURE(seed);
      const auto pixels = drawn(digit, seed);
      const auto ink = std::count_if(pixels.begin(), pixels.end(), [](int p) { return p > 100; });
      CHECK(ink >= 20);  // a thin digit; the image has 784 pixels
      CHECK(ink <= 350);
    }
}

TEST_CASE("different seeds give different handwriting") {
  CHECK(drawn(3, 1) != drawn(3, 2));
  CHECK(drawn(3, 1) != drawn(8, 1));
}
