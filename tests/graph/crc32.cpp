// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string_view>

#include <ridgepoint/graph/crc32.hpp>

namespace {
std::uint32_t crc(std::string_view text) { return ridgepoint::crc32(std::as_bytes(std::span(text))); }
}  // namespace

TEST_CASE("crc32 gives the check value of the catalogue") {
  CHECK(crc("123456789") == 0xCBF43926U);
  CHECK(crc("") == 0);
  CHECK(crc("The quick brown fox jumps over the lazy dog") == 0x414FA339U);
}
