// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/data/synthetic_text.hpp>

namespace rp = ridgepoint;

namespace {
using context = std::vector<std::string_view>;
/// Counts the words after each context of `words` words in a text of `count` words.
std::map<context, std::map<std::string_view, int>> followers(int order, std::uint64_t seed, std::size_t words,
                                                             int count) {
  rp::markov_words text(order, seed);
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
  CHECK(bits(1, 1, 50'000) <= rp::markov_words::most_bits + 0.01);
  CHECK(bits(1, 1, 50'000) > 1.4);
  CHECK(bits(1, 0, 50'000) > 4);
  CHECK(bits(2, 2, 400'000) <= rp::markov_words::most_bits + 0.01);
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
  rp::markov_words a(2, 7), same(2, 7), other(2, 8);
  int differences = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string_view word = a.next();
    CHECK(word == same.next());
    differences += word == other.next() ? 0 : 1;
  }
  CHECK(differences > 800);
}

TEST_CASE("words are distinct UTF-8, not all in ASCII, and end in white space") {
  const auto& words = rp::markov_words::words;
  CHECK(std::set<std::string_view>(words.begin(), words.end()).size() == words.size());
  for (const std::string_view word : words)
    CHECK((rp::detail::valid_utf8(word) && (word.back() == ' ' || word.back() == '\n')));
  CHECK(std::count_if(words.begin(), words.end(), [](std::string_view word) {
          return std::any_of(word.begin(), word.end(), [](char byte) { return byte < 0; });
        }) == 5);
}

TEST_CASE("an order outside 1 to 3 is refused") {
  CHECK_THROWS_WITH_AS(rp::markov_words(0, 1), "markov_words: order is 0; must be 1 to 3", rp::value_error);
  CHECK_THROWS_AS(rp::markov_words(4, 1), rp::value_error);
}
