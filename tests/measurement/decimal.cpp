// SPDX-License-Identifier: MIT
#include "measurement/decimal.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using measurement::decimal;

TEST_CASE("decimal: digits are parsed as a number") {
  CHECK(decimal<int>("0") == 0);
  CHECK(decimal<int>("-12") == -12);
  CHECK(decimal<std::uint64_t>("18446744073709551615") == UINT64_MAX);
  CHECK(decimal<double>("0.5") == 0.5);
  CHECK(decimal<double>("1.5e3") == 1500);
  CHECK(decimal<double>("-2") == -2);
}

TEST_CASE("decimal: other text and numbers out of the type's range are refused") {
  for (const char* text :
       {"", " ", "-", "+1", " 1", "1 ", "1x", "0x10", "010", "00", "-01", "1,000", "1'000", "nan", "inf", "--1", "1-",
        "\xEF\xBB\xBF"
        "1",
        "one"}) {
    CAPTURE(text);
    CHECK(!decimal<int>(text));
    CHECK(!decimal<std::uint64_t>(text));
    CHECK(!decimal<double>(text));
  }
  for (const char* text : {"1.5", "1e3"}) CHECK(!decimal<int>(text));
  for (const char* text : {"-1", "18446744073709551616"}) CHECK(!decimal<std::uint64_t>(text));
  for (const char* text : {"-nan", "infinity", "-inf", "1e999", "01.5", "0x1p3", "1e"}) CHECK(!decimal<double>(text));
  CHECK(!decimal<int>("2147483648"));
}
