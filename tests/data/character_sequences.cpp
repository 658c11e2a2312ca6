// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/character_sequences.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
rp::text_corpus corpus(const std::string& text) {
  const temporary_directory there;
  write_bytes(there / "text", text);
  return rp::text_corpus(there / "text");
}
}  // namespace

TEST_CASE("every step characters a sequence begins; the label is the character behind it") {
  const rp::character_sequences data(corpus("abcdefgh"), {.length = 3, .step = 2, .given = rp::characters_as::ids});
  CHECK(data.size() == 3);
  CHECK(data.sample_shape() == rp::shape{3});
  CHECK(data.target_shape() == rp::shape{});
  CHECK(data.classes() == 8);
  CHECK(data.gathered() == rp::gathering::on_any_threads);
  const std::vector<rp::index_t> rows{2, 0};
  std::vector<float> x(6);
  std::vector<std::int32_t> labels(2);
  data.gather(rows, x.data(), labels.data());
  CHECK(x == std::vector<float>{4, 5, 6, 0, 1, 2});
  CHECK(labels == std::vector<std::int32_t>{7, 3});
  CHECK(data.text().vocabulary().decode(labels) == "hd");
}

TEST_CASE("characters are one-hot unless ids are asked for") {
  const rp::character_sequences data(corpus("bacb"), {.length = 2, .step = 1});
  CHECK(data.size() == 2);
  CHECK(data.sample_shape() == rp::shape{2, 3});
  const std::vector<rp::index_t> rows{1, 0};
  std::vector<float> x(12, 7);
  std::vector<std::int32_t> labels(2);
  data.gather(rows, x.data(), labels.data());
  CHECK(x == std::vector<float>{1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0});
  CHECK(labels == std::vector<std::int32_t>{1, 2});
}

TEST_CASE("there are as many sequences as in Keras' range(0, characters - length, step)") {
  const auto sequences = [](std::size_t characters, rp::index_t length, rp::index_t step) {
    return rp::character_sequences(corpus(std::string(characters, 'a')), {.length = length, .step = step}).size();
  };
  CHECK(sequences(600'893, 40, 3) == 200'285);  // nietzsche.txt
  CHECK(sequences(41, 40, 3) == 1);
  CHECK(sequences(43, 40, 3) == 1);
  CHECK(sequences(44, 40, 3) == 2);
  CHECK(sequences(2, 1, 1) == 1);
  CHECK(sequences(5, 2, 100) == 1);
}

TEST_CASE("sequences must have a length and a step, and fit the text") {
  const rp::text_corpus text = corpus("abcd");
  const auto make = [&](rp::index_t length, rp::index_t step) {
    return rp::character_sequences(text, {.length = length, .step = step});
  };
  CHECK(make(3, 1).size() == 1);
  CHECK_THROWS_WITH_AS(make(4, 1), "character_sequences: the text has 4 characters; must have more than a sequence, 4",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(make(0, 1), "character_sequences: length is 0 and step 1; must be >= 1", rp::value_error);
  CHECK_THROWS_WITH_AS(make(2, 0), "character_sequences: length is 2 and step 0; must be >= 1", rp::value_error);
  CHECK_THROWS_AS(make(-1, -1), rp::value_error);
}

TEST_CASE("nine tenths of a text are learnt from, the last is tested on") {
  const temporary_directory there;
  write_bytes(there / "text", "ABCDEFGHIJabcdefghix");
  const rp::text_data data = rp::text_sequences(there / "text", {.length = 1, .step = 1});
  CHECK(data.train.size() == 17);
  CHECK(data.test.size() == 1);
  CHECK(data.train.classes() == 11);
  CHECK(data.test.classes() == 11);
  const rp::index_t row = 0;
  float x[11];
  std::int32_t label = 0;
  data.test.gather({&row, 1}, x, &label);
  CHECK(data.test.text().vocabulary().decode({&label, 1}) == "x");
  CHECK(rp::text_sequences(there / "text", {.length = 1}, {.lower_case = false}).train.classes() == 20);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::text_sequences(there / "text")),
                       doctest::Contains("has 18 characters; must have more than a sequence, 40"), rp::value_error);
  write_bytes(there / "text", "abcdefghi");
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::text_sequences(there / "text", {.length = 1})),
                       doctest::Contains("has 9 characters; must have 10 at least"), rp::value_error);
}
