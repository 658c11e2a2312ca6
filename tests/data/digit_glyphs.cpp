// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>

#include <ridgepoint/data/draw_digit.hpp>

namespace rp = ridgepoint;

TEST_CASE("each digit has at least two adjacent glyphs") {
  CHECK(std::is_sorted(rp::digit_glyphs.begin(), rp::digit_glyphs.end(),
                       [](const auto& a, const auto& b) { return a.digit < b.digit; }));
  for (int digit = 0; digit < 10; ++digit)
    CHECK(std::count_if(rp::digit_glyphs.begin(), rp::digit_glyphs.end(),
                        [=](const auto& g) { return g.digit == digit; }) >= 2);
}

TEST_CASE("every stroke has two or more points inside the box") {
  for (const rp::digit_glyph& glyph : rp::digit_glyphs) {
    CAPTURE(glyph.digit);
    int points = 0;
    for (int i = 0; i < glyph.size; ++i) {
      const rp::pen_point p = glyph.points[static_cast<std::size_t>(i)];
      if (p == rp::digit_glyph::lift) {
        CHECK(points >= 2);
        points = 0;
        continue;
      }
      ++points;
      CHECK((p.x >= 0 && p.x <= 100 && p.y >= 0 && p.y <= 100));
    }
    CHECK(points >= 2);
  }
}
