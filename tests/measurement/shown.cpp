// SPDX-License-Identifier: MIT
#include "measurement/shown.hpp"

#include <doctest/doctest.h>

TEST_CASE("shown text has its control characters escaped, and is shortened in the middle") {
  CHECK(measurement::shown("a\x1b[31m\tb") == "a\\x1b[31m\\tb");
  CHECK(measurement::shown("a\xff|b") == "a\\xff|b");
  CHECK(measurement::shown("abcdefgh", 8) == "abcdefgh");
  CHECK(measurement::shown("abcdefghi", 8) == "abcd…ghi");
  CHECK(measurement::shown("äöüß", 4) == "äöüß");
}

TEST_CASE("a ratio has the decimals that a gate of 1 % needs") {
  CHECK(measurement::ratio_text(0.9523) == "0.952");
  CHECK(measurement::ratio_text(0.99999) == "1.000");
  CHECK(measurement::ratio_text(34.3) == "34.30");
}
