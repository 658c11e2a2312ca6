// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/text_corpus.hpp>

namespace rp = ridgepoint;

TEST_CASE("capital letters become lower case, other characters are unchanged") {
  CHECK(rp::lower_case("AZ az 09 @[`{") == "az az 09 @[`{");
  CHECK(rp::lower_case("ÀÖ×ØÞß ÜBER") == "àö×øþß über");
  CHECK(rp::lower_case("ΑΡΣΩΪΫ") == "αρσωϊϋ");
  CHECK(rp::lower_case("ЀЏАЯ") == "ѐџая");
  CHECK(rp::lower_case("日本 😀") == "日本 😀");
  CHECK(rp::lower_case(char32_t{0x3A2}) == 0x3A2);  // not a letter
  CHECK(rp::lower_case("").empty());
}

TEST_CASE("a text that is not UTF-8 is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::lower_case("ÜB\xFF")),
                       "lower_case: the text is not UTF-8 from byte 3 on; must be UTF-8", rp::value_error);
}
