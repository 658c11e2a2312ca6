// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>

#include <ridgepoint/data/imdb.hpp>

namespace rp = ridgepoint;
using ids = std::vector<std::int32_t>;

TEST_CASE("pairs have ascending ids and follow their text; unknown pairs are left out") {
  const std::array<ids, 4> texts{ids{1, 5, 4, 5, 4}, ids{1, 4}, ids{1}, ids{}};
  const rp::bigram_vocabulary pairs(texts, 21, 100);
  CHECK(pairs.size() == 4);  // (1, 4), (1, 5), (4, 5), (5, 4)
  ids text{1, 5, 4, 6, 5, 4, 5};
  pairs.append_to(text);
  CHECK(text == ids{1, 5, 4, 6, 5, 4, 5, 22, 24, 24, 23});
  for (ids alone : {ids{}, ids{1}, ids{4, 4}}) {
    const ids before = alone;
    pairs.append_to(alone);
    CHECK(alone == before);
  }
}

TEST_CASE("more pairs than the limit are refused") {
  const std::array<ids, 1> texts{ids{1, 2, 3, 4}};
  CHECK(rp::bigram_vocabulary(texts, 10, 3).size() == 3);
  CHECK_THROWS_WITH_AS(rp::bigram_vocabulary(texts, 10, 2),
                       "bigram_vocabulary: there are 3 different pairs; must be at most 2", rp::value_error);
  CHECK(rp::bigram_vocabulary(texts, 0x7FFFFFFF - 3, 100).size() == 3);
  CHECK_THROWS_AS(rp::bigram_vocabulary(texts, 0x7FFFFFFF - 2, 100), rp::value_error);
}
