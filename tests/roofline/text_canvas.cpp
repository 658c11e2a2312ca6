// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/text_canvas.hpp>

namespace rp = ridgepoint;

TEST_CASE("dots, letters and labels") {
  rp::text_canvas plain(8, 2, rp::glyphs::ascii), fine(8, 2, rp::glyphs::unicode);
  plain.dot(0, 0, '/');
  plain.letter(0.99, 0.99, 'A');
  CHECK(plain.row(0) == "       A");
  CHECK(plain.row(1) == "/");
  plain.letter(0.99, 0.99, 'B');
  CHECK(plain.row(0) == "       +");
  CHECK(plain.label(2, 1, "L1"));
  CHECK_FALSE(plain.label(3, 1, "L2"));                        // touches L1
  CHECK_FALSE(plain.label(7, 1, "L2"));                        // leaves the canvas
  CHECK(plain.row(1) == "/ L1");
  fine.dot(0, 0, '/');
  CHECK(fine.row(1) == "⡀");
  fine.dot(0.1, 0.45, '/');
  CHECK(fine.row(1) == "⡈");
}
