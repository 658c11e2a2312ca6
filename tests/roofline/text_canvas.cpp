// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/plot.hpp>

#include <cstdlib>

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
  CHECK_FALSE(plain.label(3, 1, "L2"));  // touches L1
  CHECK_FALSE(plain.label(7, 1, "L2"));  // leaves the canvas
  CHECK(plain.row(1) == "/ L1");
  fine.dot(0, 0, '/');
  CHECK(fine.row(1) == "⡀");
  fine.dot(0.1, 0.45, '/');
  CHECK(fine.row(1) == "⡈");
}

TEST_CASE("braille if the locale is UTF-8, in any spelling") {
  const char* before = std::getenv("LC_ALL");
  const std::string kept = before == nullptr ? "" : before;  // empty counts as not set
  for (const char* locale : {"en_US.UTF-8", "en_US.utf-8", "C.utf8", "de_DE.UTF8"}) {
    setenv("LC_ALL", locale, 1);
    CHECK_MESSAGE(rp::terminal_glyphs() == rp::glyphs::unicode, locale);
  }
  for (const char* locale : {"C", "POSIX", "en_US.ISO-8859-1"}) {
    setenv("LC_ALL", locale, 1);
    CHECK_MESSAGE(rp::terminal_glyphs() == rp::glyphs::ascii, locale);
  }
  setenv("LC_ALL", kept.c_str(), 1);
}
