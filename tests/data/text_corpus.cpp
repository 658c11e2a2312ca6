// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <optional>

#include <ridgepoint/data/text_corpus.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("a text is the ids of its characters, in lower case by default") {
  const temporary_directory there;
  write_bytes(there / "text", "Übü ab");
  const rp::text_corpus text(there / "text");
  CHECK(text.size() == 6);
  CHECK(text.vocabulary().size() == 4);
  CHECK(std::vector(text.ids().begin(), text.ids().end()) == std::vector<std::int32_t>{3, 2, 3, 0, 1, 2});
  CHECK(text.vocabulary().decode(text.ids()) == "übü ab");
  const rp::text_corpus as_it_is(there / "text", {.lower_case = false});
  CHECK(as_it_is.vocabulary().decode(as_it_is.ids()) == "Übü ab");
}

TEST_CASE("a part keeps the vocabulary of the full text, and outlives it") {
  const temporary_directory there;
  write_bytes(there / "text", "abcabc");
  std::optional<rp::text_corpus> text(std::in_place, (there / "text").string());
  const rp::text_corpus part = text->part(1, 3), last = text->part(5, 1);
  CHECK(part.ids().data() == text->ids().data() + 1);
  CHECK_THROWS_WITH_AS(static_cast<void>(part.part(2, 2)),
                       "text_corpus: part of 2 characters from 2 on; must be within its 3", rp::value_error);
  for (const auto& [first, count] : {std::pair<rp::index_t, rp::index_t>{-1, 1}, {0, 0}, {0, 7}, {6, 1}, {7, -1}})
    CHECK_THROWS_AS(static_cast<void>(text->part(first, count)), rp::value_error);
  text.reset();
  CHECK(part.vocabulary().decode(part.ids()) == "bca");
  CHECK(last.vocabulary().decode(last.part(0, 1).ids()) == "c");
  CHECK(last.vocabulary().size() == 3);
}

TEST_CASE("a text that is empty, too large or not UTF-8 is refused") {
  const temporary_directory there;
  const std::string path = there / "text";
  for (const char* empty : {"", "\xEF\xBB\xBF"}) {
    write_bytes(path, empty);
    CHECK_THROWS_WITH_AS(rp::text_corpus{path}, (path + ": is empty; must have a character").c_str(), rp::data_error);
  }
  write_bytes(path, "abc\xE9");
  CHECK_THROWS_WITH_AS(rp::text_corpus{path}, doctest::Contains("is not UTF-8 from byte 3 on, 0xe9; must be UTF-8"),
                       rp::data_error);
  CHECK_THROWS_WITH_AS((rp::text_corpus{path, {.most_bytes = 3}}),
                       doctest::Contains("has 4 bytes; must have at most 3"), rp::data_error);
  CHECK_THROWS_WITH_AS(rp::text_corpus{there / "nowhere"}, doctest::Contains("no such file"), rp::data_error);
}
