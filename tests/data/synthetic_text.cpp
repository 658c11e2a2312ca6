// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/characters.hpp>
#include <ridgepoint/data/synthetic_text.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

TEST_CASE("a synthetic text has the requested length, and is the same for the same seed") {
  const temporary_directory a, b, c, d;
  rp::write_synthetic_text(a.path(), {.seed = 7, .characters = 10'000});
  rp::write_synthetic_text(b.path(), {.seed = 7, .characters = 5'000});
  rp::write_synthetic_text(c.path(), {.seed = 8, .characters = 5'000});
  rp::write_synthetic_text(d.path(), {.seed = 7, .characters = 5'000, .order = 1});
  CHECK(a.entries() == 2);
  const std::string more = read_bytes(a / "text.txt"), fewer = read_bytes(b / "text.txt");
  CHECK(rp::text_corpus(a / "text.txt").size() == 10'000);
  CHECK(rp::text_corpus(b / "text.txt").size() == 5'000);
  CHECK(more.size() > 10'000);                   // not all in ASCII
  CHECK(more.substr(0, fewer.size()) == fewer);  // only the number differs
  CHECK(read_bytes(c / "text.txt") != fewer);
  CHECK(read_bytes(d / "text.txt") != fewer);
}

TEST_CASE("a text may end inside a word, never inside a character") {
  const temporary_directory there;
  std::string before;
  for (rp::index_t count = 1; count < 200; ++count) {
    rp::write_synthetic_text(there.path(), {.characters = count});
    const std::string text = read_bytes(there / "text.txt");
    CHECK(rp::text_corpus(there / "text.txt").size() == count);
    CHECK(text.starts_with(before));
    before = text;
  }
}

TEST_CASE("an existing text is not written again; other options rewrite it; a user's file is left alone") {
  const temporary_directory there;
  const auto text = there / "own" / "text.txt";
  int calls = 0;
  const auto count_calls = [&](rp::index_t done, rp::index_t total) {
    ++calls;
    CHECK(total == 100'000);
    CHECK((calls == 1 ? done >= 65'536 && done < 65'550 : done == total));
  };
  rp::write_synthetic_text(there / "own", {.characters = 100'000}, count_calls);
  CHECK(calls == 2);
  const std::string before = read_bytes(text);
  rp::write_synthetic_text(there / "own", {.characters = 100'000}, count_calls);
  CHECK(calls == 2);
  std::filesystem::remove(text);
  rp::write_synthetic_text(there / "own", {.characters = 100'000});
  CHECK(read_bytes(text) == before);
  rp::write_synthetic_text(there / "own", {.characters = 100'000, .order = 3});
  CHECK(read_bytes(text) != before);

  write_bytes(there / "text.txt", "mine");
  CHECK_THROWS_WITH_AS(rp::write_synthetic_text(there.path()),
                       doctest::Contains("holds data files of another origin; must be empty, or hold a synthetic text"),
                       rp::data_error);
  CHECK(read_bytes(there / "text.txt") == "mine");
  CHECK(there.entries() == 2);
}

TEST_CASE("zero characters and invalid orders are refused, and nothing is written") {
  const temporary_directory there;
  CHECK_THROWS_WITH_AS(rp::write_synthetic_text(there / "a", {.characters = 0}),
                       "synthetic text: characters is 0; must be >= 1", rp::value_error);
  CHECK_THROWS_WITH_AS(rp::write_synthetic_text(there / "a", {.order = 4}), "markov_words: order is 4; must be 1 to 3",
                       rp::value_error);
  CHECK(there.entries() == 0);
  CHECK_THROWS_AS(rp::write_synthetic_text("/proc/text"), rp::data_error);
}
