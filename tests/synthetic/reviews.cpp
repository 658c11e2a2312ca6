// SPDX-License-Identifier: MIT
#include "measurement/synthetic/reviews.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <ridgepoint/core/printable.hpp>
#include <ridgepoint/data/imdb.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
std::string review(std::uint64_t stream, rp::sentiment kind) {
  return synthetic::review_writer(rp::random_stream(5, stream)).write(kind);
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
/// Returns the share of test reviews that a logistic regression on id counts classifies correctly.
double logistic_regression(const rp::imdb_data<float>& data) {
  std::vector<float> weights(static_cast<std::size_t>(data.vocabulary)), x(400);
  const auto score = [&](const rp::review_dataset<float>& from, rp::index_t row, float& target) {
    from.gather({&row, 1}, x.data(), &target);
    float sum = 0;
    for (const float id : x) sum += weights[static_cast<std::size_t>(id)];
    return sum;
  };
  float target = 0;
  for (int epoch = 0; epoch < 30; ++epoch)
    for (rp::index_t i = 0; i < data.train.size(); ++i) {
      const rp::index_t row = i * 7919 % data.train.size();
      const float slope = 1 / (1 + std::exp(-score(data.train, row, target))) - target;
      for (const float id : x)
        if (id != 0) weights[static_cast<std::size_t>(id)] -= 0.02F * slope;
    }
  int right = 0;
  for (rp::index_t row = 0; row < data.test.size(); ++row) {
    const bool positive = score(data.test, row, target) > 0;
    right += positive == (target > 0);
  }
  return right / static_cast<double>(data.test.size());
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

TEST_CASE("synthetic reviews are files like IMDb's, the same for the same seed") {
  const temporary_directory a, b, c;
  synthetic::write_reviews(a.path(), {.seed = 7, .train = 31, .test = 4});
  synthetic::write_reviews(b.path(), {.seed = 7, .train = 20, .test = 4});
  synthetic::write_reviews(c.path(), {.seed = 8, .train = 20, .test = 4});
  CHECK(a.entries() == 3);
  const auto files = rp::review_files(a.path(), "train");
  CHECK(files.size() == 31);
  CHECK(std::count_if(files.begin(), files.end(), [](const auto& f) { return f.kind == rp::sentiment::positive; }) ==
        15);
  CHECK(rp::review_files(a.path(), "test").size() == 4);
  for (const char* same : {"train/neg/00000.txt", "train/pos/00019.txt", "test/pos/00003.txt"}) {
    CHECK(read_bytes(a / same) == read_bytes(b / same));
    CHECK(read_bytes(a / same) != read_bytes(c / same));
  }
  CHECK(read_bytes(a / "train/neg/00000.txt") != read_bytes(a / "test/neg/00000.txt"));
}

TEST_CASE("words decide three quarters of the reviews, pairs of words nearly all") {
  const temporary_directory there;
  synthetic::write_reviews(there.path(), {.train = 2000, .test = 1000});
  const double words = logistic_regression(rp::imdb(there.path(), {.length = 400}));
  const double pairs = logistic_regression(rp::imdb(there.path(), {.length = 400, .bigrams = true}));
  MESSAGE("words get ", words, " right, pairs of words ", pairs);
  CHECK(words > 0.65);
  CHECK(words < 0.82);
  CHECK(pairs > 0.95);
}

TEST_CASE("existing reviews are not written again; other options rewrite them; a user's files are left alone") {
  const temporary_directory there;
  int calls = 0;
  const auto count_calls = [&](rp::index_t done, rp::index_t total) {
    CHECK(done == total);
    ++calls;
  };
  const auto one = there / "own/test/neg/00002.txt";
  synthetic::write_reviews(there / "own", {.train = 8, .test = 4}, count_calls);
  CHECK(calls == 1);
  const std::string before = read_bytes(one);
  synthetic::write_reviews(there / "own", {.train = 8, .test = 4}, count_calls);
  CHECK(calls == 1);
  std::filesystem::remove(one);
  synthetic::write_reviews(there / "own", {.train = 8, .test = 4});
  CHECK(read_bytes(one) == before);
  synthetic::write_reviews(there / "own", {.seed = 1, .train = 8, .test = 4});
  CHECK(read_bytes(one) != before);
  const auto others_are_kept = [&](const std::filesystem::path& directory, const synthetic::reviews_options& options) {
    CHECK_THROWS_WITH_AS(
        synthetic::write_reviews(directory, options),
        doctest::Contains("holds data files of another origin; must be empty, or hold synthetic reviews"),
        rp::data_error);
  };
  others_are_kept(there / "own", {.train = 6, .test = 4});  // the directory has more files
  std::filesystem::create_directories(there / "real/train/pos");
  write_bytes(there / "real/train/pos/0_9.txt", "mine");
  others_are_kept(there / "real", {.train = 6, .test = 4});
  CHECK(read_bytes(there / "real/train/pos/0_9.txt") == "mine");
}

TEST_CASE("less than one review of each sentiment is refused, and nothing is written") {
  const temporary_directory there;
  CHECK_THROWS_WITH_AS(synthetic::write_reviews(there / "few", {.train = 1}),
                       "synthetic reviews: 1 train and 1000 test reviews; must be >= 2 each", rp::value_error);
  CHECK_THROWS_AS(synthetic::write_reviews(there / "few", {.test = 0}), rp::value_error);
  CHECK(there.entries() == 0);
}
