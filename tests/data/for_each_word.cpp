// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/reviews.hpp>

namespace rp = ridgepoint;
using namespace std::string_literals;

namespace {
/// Returns the words, each followed by |.
std::string words(std::string_view text) {
  std::string all;
  rp::for_each_word(text, [&](const std::string& word) { all += word + "|"; });
  return all;
}
}  // namespace

TEST_CASE("words are lower case, separated by white space and punctuation; an apostrophe is part of a word") {
  CHECK(words("Don't, <br />STOP") == "don't|br|stop|");
  CHECK(words("  a\tb\nc\rd\ve\ff  ") == "a|b|c|d|e|f|");
  CHECK(words("w!w\"w#w$w%w&w(w)w*w+w,w-w.w/w:w;w<w=w>w?w@w[w\\w]w^w_w`w{w|w}w~w") == [] {
    std::string all;
    for (int i = 0; i < 32; ++i) all += "w|";
    return all;
  }());
  CHECK(words("'tis 10'000 Été—日本 😀.") == "'tis|10'000|été—日本|😀|");
  CHECK(words("") == "");
  CHECK(words("... !?") == "");
  CHECK(words("a\0b"s) == "a\0b|"s);
}

TEST_CASE("a text that is not UTF-8 is refused") {
  CHECK_THROWS_WITH_AS(words("one two\xC3"), "words: the text is not UTF-8 from byte 7 on; must be UTF-8",
                       rp::value_error);
}
