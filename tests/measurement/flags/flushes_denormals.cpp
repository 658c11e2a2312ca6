// SPDX-License-Identifier: MIT
#include "measurement/flags/flushes_denormals.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("a program that flushes denormals has the symbol of crtfastmath.o") {
  const std::string symbols("main\0set_fast_math\0frame_dummy\0", 31);
  CHECK(measurement::flushes_denormals(symbols));
  CHECK(!measurement::flushes_denormals(symbols.substr(0, 18)));
  CHECK(!measurement::flushes_denormals("reset_fast_math"));
}
