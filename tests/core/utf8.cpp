// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/core/printable.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {
std::size_t good_bytes(std::string_view text) { return rp::detail::utf8_bytes(text); }
}  // namespace

TEST_CASE("every Unicode character survives a UTF-8 round trip; surrogates are refused") {
  int characters = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    std::string text;
    rp::detail::append_utf8(text, c);
    const std::size_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    const rp::detail::code_point read = rp::detail::first_code_point(text + "a");
    const bool surrogate = c >= 0xD800 && c < 0xE000;
    if (text.size() != bytes || read.bytes != (surrogate ? 0 : bytes) || read.value != (surrogate ? 0 : c)) {
      CAPTURE(static_cast<std::uint32_t>(c));
      FAIL("does not read back");
    }
    characters += surrogate ? 0 : 1;
  }
  CHECK(characters == 0x110000 - 0x800);
}

TEST_CASE("the position of invalid UTF-8 is found") {
  CHECK(good_bytes("") == 0);
  CHECK(good_bytes("grün, λ, 日本, 😀\0"s) == 24);
  CHECK(good_bytes("ab\x80") == 2);              // a continuation byte without a lead byte
  CHECK(good_bytes("ab\xC3") == 2);              // truncated
  CHECK(good_bytes("ab\xE2\x82") == 2);          // truncated
  CHECK(good_bytes("ab\xF0\x9F\x98") == 2);      // truncated
  CHECK(good_bytes("ab\xC3\x28") == 2);          // missing continuation byte
  CHECK(good_bytes("ab\xE2\x28\xA1") == 2);      // missing continuation byte
  CHECK(good_bytes("ab\xC0\xAF") == 2);          // overlong
  CHECK(good_bytes("ab\xC1\xBF") == 2);          // overlong
  CHECK(good_bytes("ab\xE0\x9F\xBF") == 2);      // overlong
  CHECK(good_bytes("ab\xF0\x8F\xBF\xBF") == 2);  // overlong
  CHECK(good_bytes("ab\xED\xA0\x80") == 2);      // a surrogate
  CHECK(good_bytes("ab\xF4\x90\x80\x80") == 2);  // beyond U+10FFFF
  CHECK(good_bytes("ab\xF8\x88\x80\x80\x80") == 2);
  CHECK(good_bytes("ab\xFF") == 2);
  CHECK(rp::detail::valid_utf8("ü"));
  CHECK_FALSE(rp::detail::valid_utf8("\xFC"));
}

TEST_CASE("characters are decoded until the first invalid byte") {
  std::u32string taken;
  CHECK(rp::detail::for_each_code_point("aü😀\xFFz", [&](char32_t c) { taken += c; }) == 7);
  CHECK(taken == U"aü😀");
}
