// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include <ridgepoint/data/reviews.hpp>

namespace rp = ridgepoint;

namespace {
const std::array<std::string, 3> texts{"b c C a", "c, B! a", "d"};  // c 3, a 2, b 2, d 1
}

TEST_CASE("the most frequent words have the first ids, equally frequent ones in byte order") {
  const rp::word_vocabulary all(texts, 100);
  CHECK(all.size() == 4);
  CHECK(all.word(4) == "c");
  CHECK(all.word(5) == "a");
  CHECK(all.word(6) == "b");
  CHECK(all.word(7) == "d");
  for (const std::int32_t none : {-1, 0, 1, 2, 3, 8, -2'147'483'647 - 1, 2'147'483'647}) CHECK(all.word(none).empty());
}

TEST_CASE("a text is the start id and the ids of its words, as in Keras") {
  const rp::word_vocabulary two(texts, 6);
  CHECK(two.size() == 2);
  CHECK(two.encode("A b c d; A?") == std::vector<std::int32_t>{1, 5, 2, 4, 2, 5});
  CHECK(two.encode("") == std::vector<std::int32_t>{1});
  CHECK_THROWS_AS(static_cast<void>(two.encode("a\xFF")), rp::value_error);
  const rp::word_vocabulary none(std::span<const std::string>(), 6);
  CHECK(none.size() == 0);
  CHECK(none.encode("a") == std::vector<std::int32_t>{1, 2});
}

TEST_CASE("there must be an id for a word, and no more words than the limit") {
  CHECK(rp::word_vocabulary(texts, 5).size() == 1);
  CHECK_THROWS_WITH_AS(rp::word_vocabulary(texts, 4), "word_vocabulary: ids is 4; must be > 4 and < 2147483648",
                       rp::value_error);
  CHECK_THROWS_AS(rp::word_vocabulary(texts, rp::index_t{1} << 31), rp::value_error);
  CHECK(rp::word_vocabulary(texts, 5, 4).size() == 1);
  CHECK_THROWS_WITH_AS(rp::word_vocabulary(texts, 5, 3),
                       "word_vocabulary: there are more than 3 different words; must be at most that many",
                       rp::value_error);
  const std::array<std::string, 1> broken{"a \xFF"};
  CHECK_THROWS_AS(rp::word_vocabulary(broken, 5), rp::value_error);
}
