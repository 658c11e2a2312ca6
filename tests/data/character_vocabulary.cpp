// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/text_corpus.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

TEST_CASE("ids are in code point order and decode to their characters") {
  const rp::character_vocabulary all("züb\n😀b日a\0"s);
  CHECK(all.size() == 8);
  CHECK(all.encode("\0\nabzü日😀"s) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(all.decode(std::vector<std::int32_t>{7, 5, 5, 0}) == "😀üü\0"s);
  CHECK(all.encode("").empty());
  CHECK(all.decode({}).empty());
}

TEST_CASE("an empty text, unknown characters and invalid ids are refused") {
  CHECK_THROWS_WITH_AS(rp::character_vocabulary(""), "character_vocabulary: the text is empty; must have a character",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(rp::character_vocabulary("ü\xC3"),
                       "character_vocabulary: the text is not UTF-8 from byte 2 on; must be UTF-8", rp::value_error);
  const rp::character_vocabulary letters("abc");
  CHECK_THROWS_WITH_AS(static_cast<void>(letters.encode("abd")),
                       "encode: character 2 of the text is not in the vocabulary; must be one of its 3",
                       rp::value_error);
  CHECK_THROWS_AS(static_cast<void>(letters.encode("A")), rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(letters.encode("a\xFF")),
                       "encode: the text is not UTF-8 from byte 1 on; must be UTF-8", rp::value_error);
  for (const std::int32_t id : {-1, 3}) {
    CAPTURE(id);
    CHECK_THROWS_WITH_AS(static_cast<void>(letters.decode({&id, 1})), doctest::Contains("; must be 0 to 2"),
                         rp::value_error);
  }
}
