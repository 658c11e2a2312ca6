// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <ridgepoint/data/cifar.hpp>
#include <support/fnv.hpp>

namespace rp = ridgepoint;

namespace {
std::vector<std::uint8_t> drawn_figure(int figure, std::uint64_t stream) {
  std::vector<std::uint8_t> pixels(3072);
  rp::figure_painter(rp::random_stream(42, stream)).draw(figure, pixels);
  return pixels;
}
}  // namespace

TEST_CASE("a figure has the same bytes on every machine") {
  std::vector<std::uint8_t> all;
  for (int figure = 0; figure < 10; ++figure)
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      const auto image = drawn_figure(figure, stream);
      all.insert(all.end(), image.begin(), image.end());
    }
  CHECK(fnv(all) == 5173745184258604240ULL);
}

TEST_CASE("figures of one seed cover different pixels, and a fair part of the image") {
  for (std::uint64_t stream = 0; stream < 20; ++stream)
    for (int a = 0; a < 10; ++a)
      for (int b = 0; b < a; ++b) {
        const auto one = drawn_figure(a, stream), other = drawn_figure(b, stream);
        int differ = 0;
        for (std::size_t i = 0; i < one.size(); ++i) differ += std::abs(one[i] - other[i]) > 40 ? 1 : 0;
        CHECK(differ > 20);
      }
}
