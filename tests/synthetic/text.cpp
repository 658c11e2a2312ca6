// SPDX-License-Identifier: MIT
#include "measurement/synthetic/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/data/characters.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
using context = std::vector<std::string_view>;
/// Counts the words after each context of `words` words in a text of `count` words.
std::map<context, std::map<std::string_view, int>> followers(int order, std::uint64_t seed, std::size_t words,
                                                             int count) {
  synthetic::markov_words text(order, seed);
  std::map<context, std::map<std::string_view, int>> seen;
  context last;
  for (int i = 0; i < count; ++i) {
    const std::string_view word = text.next();
    if (last.size() == words) ++seen[last][word];
    last.push_back(word);
    if (last.size() > words) last.erase(last.begin());
  }
  return seen;
}
/// Returns the conditional entropy of a word given a context of `words` words, in bits.
double bits(int order, std::size_t words, int count) {
  double sum = 0, all = 0;
  for (const auto& [last, next] : followers(order, 3, words, count)) {
    double total = 0;
    for (const auto& [word, times] : next) total += times;
    for (const auto& [word, times] : next) sum -= times * std::log2(times / total);
    all += total;
  }
  return sum / all;
}
}  // namespace

TEST_CASE("the entropy given the last `order` words is at most 1.75 bits, and given fewer words more") {
  CHECK(bits(1, 1, 50'000) <= synthetic::markov_words::most_bits + 0.01);
  CHECK(bits(1, 1, 50'000) > 1.4);
  CHECK(bits(1, 0, 50'000) > 4);
  CHECK(bits(2, 2, 400'000) <= synthetic::markov_words::most_bits + 0.01);
  CHECK(bits(2, 2, 400'000) > 1.6);
  CHECK(bits(2, 1, 400'000) > 4);
  CHECK(bits(3, 2, 400'000) > 4);
}

TEST_CASE("at most four words follow a context, the same for every seed") {
  const auto some = followers(2, 1, 2, 60'000), others = followers(2, 2, 2, 60'000);
  std::size_t common = 0;
  for (const auto& [last, next] : some) {
    CHECK(next.size() <= 4);
    const auto found = others.find(last);
    if (found == others.end()) continue;
    std::set<std::string_view> either;
    for (const auto* each : {&next, &found->second})
      for (const auto& [word, times] : *each) either.insert(word);
    CHECK(either.size() <= 4);
    ++common;
  }
  CHECK(common > 3000);
}

TEST_CASE("the same seed gives the same text, another seed another text") {
  synthetic::markov_words a(2, 7), same(2, 7), other(2, 8);
  int differences = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string_view word = a.next();
    CHECK(word == same.next());
    differences += word == other.next() ? 0 : 1;
  }
  CHECK(differences > 800);
}

TEST_CASE("words are distinct UTF-8, not all in ASCII, and end in white space") {
  const auto& words = synthetic::markov_words::words;
  CHECK(std::set<std::string_view>(words.begin(), words.end()).size() == words.size());
  for (const std::string_view word : words)
    CHECK((rp::detail::valid_utf8(word) && (word.back() == ' ' || word.back() == '\n')));
  CHECK(std::count_if(words.begin(), words.end(), [](std::string_view word) {
          return std::any_of(word.begin(), word.end(), [](char byte) { return byte < 0; });
        }) == 5);
}

TEST_CASE("an order outside 1 to 3 is refused") {
  CHECK_THROWS_WITH_AS(synthetic::markov_words(0, 1), "markov_words: order is 0; must be 1 to 3", rp::value_error);
  CHECK_THROWS_AS(synthetic::markov_words(4, 1), rp::value_error);
}

TEST_CASE("a synthetic text has the requested length, and is the same for the same seed") {
  const temporary_directory a, b, c, d;
  synthetic::write_text(a.path(), {.seed = 7, .characters = 10'000});
  synthetic::write_text(b.path(), {.seed = 7, .characters = 5'000});
  synthetic::write_text(c.path(), {.seed = 8, .characters = 5'000});
  synthetic::write_text(d.path(), {.seed = 7, .characters = 5'000, .order = 1});
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
    synthetic::write_text(there.path(), {.characters = count});
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
  synthetic::write_text(there / "own", {.characters = 100'000}, count_calls);
  CHECK(calls == 2);
  const std::string before = read_bytes(text);
  synthetic::write_text(there / "own", {.characters = 100'000}, count_calls);
  CHECK(calls == 2);
  std::filesystem::remove(text);
  synthetic::write_text(there / "own", {.characters = 100'000});
  CHECK(read_bytes(text) == before);
  synthetic::write_text(there / "own", {.characters = 100'000, .order = 3});
  CHECK(read_bytes(text) != before);

  write_bytes(there / "text.txt", "mine");
  CHECK_THROWS_WITH_AS(synthetic::write_text(there.path()),
                       doctest::Contains("holds data files of another origin; must be empty, or hold a synthetic text"),
                       rp::data_error);
  CHECK(read_bytes(there / "text.txt") == "mine");
  CHECK(there.entries() == 2);
}

TEST_CASE("zero characters and invalid orders are refused, and nothing is written") {
  const temporary_directory there;
  CHECK_THROWS_WITH_AS(synthetic::write_text(there / "a", {.characters = 0}),
                       "synthetic text: characters is 0; must be >= 1", rp::value_error);
  CHECK_THROWS_WITH_AS(synthetic::write_text(there / "a", {.order = 4}), "markov_words: order is 4; must be 1 to 3",
                       rp::value_error);
  CHECK(there.entries() == 0);
  CHECK_THROWS_AS(synthetic::write_text("/proc/text"), rp::data_error);
}
