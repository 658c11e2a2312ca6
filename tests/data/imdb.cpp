// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/imdb.hpp>
#include <ridgepoint/graph/host_batch.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
/// Three reviews for training and two for testing. a is the most frequent word, then b, then c.
struct small_reviews {
  temporary_directory there;
  small_reviews() {
    write("train/neg/1_1.txt", "a a b");
    write("train/pos/1_9.txt", "A c. B!");
    write("train/pos/2_9.txt", "a b <br />");
    write("test/neg/1_1.txt", "b a zebra");
    write("test/pos/1_9.txt", "c b, a");
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((there / name).parent_path());
    write_bytes(there / name, text);
  }
  [[nodiscard]] auto read(const rp::imdb_options& options) const { return rp::imdb(there.path(), options); }
};

/// Returns the samples of a data set in order, each followed by its target.
template <class Target>
std::vector<float> content(const rp::review_dataset<Target>& data) {
  std::vector<float> all;
  std::vector<float> x(static_cast<std::size_t>(data.sample_shape().size()));
  for (rp::index_t row = 0; row < data.size(); ++row) {
    Target target = 7;
    data.gather({&row, 1}, x.data(), &target);
    all.insert(all.end(), x.begin(), x.end());
    all.push_back(static_cast<float>(target));
  }
  return all;
}
}  // namespace

TEST_CASE("reviews are ids of the words of the training reviews, with Keras' conventions") {
  const small_reviews reviews;
  const auto data = reviews.read({.vocabulary = 7, .length = 4});
  CHECK(data.vocabulary == 7);
  CHECK(data.words.size() == 3);  // ids: a 4, b 5; of br and c the first, 6
  CHECK(data.words.word(6) == "br");
  CHECK(data.train.sample_shape() == rp::shape{4});
  CHECK(content(data.train) == std::vector<float>{1, 4, 4, 5, 0,    // a a b
                                                  1, 4, 2, 5, 1,    // a ? b
                                                  1, 4, 5, 6, 1});  // a b br
  CHECK(content(data.test) == std::vector<float>{1, 5, 4, 2, 0,     // b a ?
                                                 1, 2, 5, 4, 1});   // ? b a
}

TEST_CASE("long reviews lose their beginning, short ones are padded in front") {
  const small_reviews reviews;
  CHECK(content(reviews.read({.vocabulary = 7, .length = 2}).test) == std::vector<float>{4, 2, 0, 5, 4, 1});
  CHECK(content(reviews.read({.vocabulary = 7, .length = 6}).test) ==
        std::vector<float>{0, 0, 1, 5, 4, 2, 0, 0, 0, 1, 2, 5, 4, 1});
}

TEST_CASE("pairs of words follow the words; pairs not in the training reviews are left out") {
  const small_reviews reviews;
  const auto data = reviews.read({.vocabulary = 6, .length = 9, .bigrams = true});  // a 4, b 5
  // Pairs: (1, 4) 7, (2, 5) 8, (4, 2) 9, (4, 4) 10, (4, 5) 11, (5, 2) 12.
  CHECK(data.vocabulary == 13);
  CHECK(content(data.train) == std::vector<float>{0, 0, 1, 4, 4, 5, 7, 10, 11, 0,  //
                                                  0, 0, 1, 4, 2, 5, 7, 9,  8,  1,  //
                                                  0, 0, 1, 4, 5, 2, 7, 11, 12, 1});
  CHECK(content(data.test) == std::vector<float>{0, 0, 0, 0, 1, 5, 4, 2, 9, 0,  // (1, 5) and (5, 4) are unknown
                                                 0, 0, 0, 0, 1, 2, 5, 4, 8, 1});
}

TEST_CASE("targets are labels on request") {
  const small_reviews reviews;
  const auto data = rp::imdb<std::int32_t>(reviews.there.path(), {.vocabulary = 7, .length = 4});
  const rp::dataset& labelled = data.train;
  CHECK(labelled.classes() == 2);
  CHECK(content(data.train) == content(reviews.read({.vocabulary = 7, .length = 4}).train));
}

TEST_CASE("a network gets ids, and values or labels depending on its loss") {
  const small_reviews reviews;
  const auto values = reviews.read({.vocabulary = 7, .length = 4});
  const auto labels = rp::imdb<std::int32_t>(reviews.there.path(), {.vocabulary = 7, .length = 4});
  const rp::batch_form::input ids{{4}, rp::element::i32};
  rp::feeder<float> of_values(values.train, {.inputs = {ids}, .targets = {{.type = rp::element::stored}}, .batch = 3});
  rp::feeder<float> of_labels(labels.train, {.inputs = {ids}, .targets = {{.classes = 2}}, .batch = 3});
  of_values.take(0, 3);
  of_labels.take(0, 3);
  CHECK(of_values.x().ids()[3] == 5);
  CHECK(of_values.targets().numbers()[2] == 1);
  CHECK(of_labels.targets().ids()[0] == 0);
  CHECK(of_labels.targets().ids()[2] == 1);
}

TEST_CASE("invalid options are refused before any file is read") {
  const auto refused = [](const rp::imdb_options& options, const char* because) {
    CHECK_THROWS_WITH_AS(static_cast<void>(rp::imdb("nowhere", options)), because, rp::value_error);
  };
  refused({.length = 0}, "imdb: length is 0; must be >= 1");
  refused({.vocabulary = 4}, "imdb: vocabulary is 4; must be > 4 and < most_ids, 4194304");
  refused({.vocabulary = 100, .most_ids = 100}, "imdb: vocabulary is 100; must be > 4 and < most_ids, 100");
  refused({.most_ids = 0}, "imdb: most_ids is 0; must be 1 to 16777216");
  refused({.most_ids = (1 << 24) + 1}, "imdb: most_ids is 16777217; must be 1 to 16777216");
}

TEST_CASE("more words or pairs than the limits are refused") {
  const small_reviews reviews;
  CHECK(reviews.read({.vocabulary = 6, .bigrams = true, .most_ids = 13}).vocabulary == 13);
  CHECK_THROWS_WITH_AS(static_cast<void>(reviews.read({.vocabulary = 6, .bigrams = true, .most_ids = 12})),
                       "bigram_vocabulary: there are 6 different pairs; must be at most 5", rp::value_error);
  std::string words;
  for (int i = 0; i < 9; ++i) words += " w" + std::to_string(i);
  reviews.write("train/neg/1_1.txt", words);
  CHECK_THROWS_WITH_AS(static_cast<void>(reviews.read({.vocabulary = 6, .most_ids = 12})),
                       "word_vocabulary: there are more than 12 different words; must be at most that many",
                       rp::value_error);
}

TEST_CASE("a missing directory and a review that is too large or not UTF-8 are named") {
  const small_reviews reviews;
  const auto refused = [&](const rp::imdb_options& options, const std::string& because) {
    CHECK_THROWS_WITH_AS(static_cast<void>(reviews.read(options)), doctest::Contains(because.c_str()), rp::data_error);
  };
  refused({.most_bytes = 8}, "train/pos/2_9.txt: has 10 bytes; must have at most 8");
  reviews.write("test/pos/1_9.txt", "caf\xE9");
  refused({}, "test/pos/1_9.txt: is not UTF-8 from byte 3 on, 0xe9; must be UTF-8");
  std::filesystem::remove(reviews.there / "test/pos/1_9.txt");
  refused({}, "test/pos has no review; must have files *.txt");
  std::filesystem::remove(reviews.there / "test/pos");
  refused({}, " has no directory test/pos");
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::imdb(reviews.there / "nowhere")), doctest::Contains("no such directory"),
                       rp::data_error);
}
