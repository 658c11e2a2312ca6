// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/data/reviews.hpp>

namespace rp = ridgepoint;

namespace {
std::string review(std::uint64_t stream, rp::sentiment kind) {
  return rp::review_writer(rp::random_stream(5, stream)).write(kind);
}
/// Returns the number of positive words minus the number of negative words.
int balance(const std::string& text) {
  const auto is_one_of = [](const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  int sum = 0;
  rp::for_each_word(text, [&](const std::string& word) {
    sum +=
        is_one_of({"good", "great", "moving", "superb", "strong", "fine", "clever", "fresh", "charming", "rich"}, word);
    sum -= is_one_of({"bad", "dull", "boring", "dreary", "weak", "poor", "silly", "tired", "clumsy", "flat"}, word);
  });
  return sum;
}
}  // namespace

TEST_CASE("words alone decide half of the reviews: the others have as many positive as negative words") {
  int plain = 0, decided = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const int for_it = balance(review(i, rp::sentiment::positive)),
              against_it = balance(review(i, rp::sentiment::negative));
    CHECK((for_it == 0 || for_it == 1));
    CHECK(for_it == -against_it);
    plain += for_it;
    decided += for_it != 0;
  }
  CHECK(plain == decided);
  CHECK(plain > 430);  // 500 expected, standard deviation 16
  CHECK(plain < 570);
}

TEST_CASE("a review of the opposite sentiment is the same with the adjectives exchanged") {
  const std::string one = review(3, rp::sentiment::positive), other = review(3, rp::sentiment::negative);
  CHECK(one != other);
  const auto words = [](const std::string& text) {
    std::vector<std::string> all;
    rp::for_each_word(text, [&](const std::string& word) { all.push_back(word); });
    return all;
  };
  const auto a = words(one), b = words(other);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) CHECK(balance(a[i]) == -balance(b[i]));
}

TEST_CASE("reviews are UTF-8, of some sentences, without remaining placeholders") {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::string text = review(i, i % 2 == 0 ? rp::sentiment::positive : rp::sentiment::negative);
    CHECK(rp::detail::valid_utf8(text));
    CHECK(text.find_first_of("*+-") == text.npos);
    CHECK(text.size() > 60);
    CHECK(text.size() < 600);
    CHECK(text != review(i + 1, i % 2 == 0 ? rp::sentiment::positive : rp::sentiment::negative));
  }
}
