// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/roofline/format.hpp>

#include <limits>

namespace rp = ridgepoint;

TEST_CASE("numbers have their significant digits") {
  CHECK(rp::figures(0) == "0");
  CHECK(rp::figures(9.999) == "10.0");
  CHECK(rp::figures(-3.14159) == "-3.14");
  CHECK(rp::figures(0.0001234) == "0.000123");
  CHECK(rp::figures(12345) == "12345");
  CHECK(rp::figures(1.5e12) == "1.50e+12");
  CHECK(rp::figures(1.5e-9, 2) == "1.5e-09");
  CHECK(rp::figures(std::numeric_limits<double>::infinity()) == "-");
  CHECK(rp::figures(std::numeric_limits<double>::quiet_NaN()) == "-");
}

TEST_CASE("quantities carry a prefix and a unit") {
  CHECK(rp::quantity(91.75e12, "FLOP/s") == "91.8 TFLOP/s");
  CHECK(rp::quantity(34e9, "B/s") == "34.0 GB/s");
  CHECK(rp::quantity(4.5e-3, "s") == "4.50 ms");
  CHECK(rp::quantity(0, "s") == "0 s");
  CHECK(rp::capacity(32 << 10) == "32 KiB");
  CHECK(rp::capacity(3 << 19) == "1.5 MiB");
  CHECK(rp::capacity(0) == "unbounded");
}

TEST_CASE("text width counts displayed columns, rows have letters") {
  CHECK(rp::columns("µs") == 2);
  CHECK(rp::row_letter(0) == 'A');
  CHECK(rp::row_letter(27) == 'b');
  CHECK(rp::row_letter(52) == '*');
}
