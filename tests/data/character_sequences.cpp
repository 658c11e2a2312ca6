// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/characters.hpp>
#include <ridgepoint/graph/host_batch.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
rp::text_corpus corpus(const std::string& text) {
  const temporary_directory there;
  write_bytes(there / "text", text);
  return rp::text_corpus(there / "text");
}
}  // namespace

TEST_CASE("a sequence begins at every step-th character; the label is the character after it") {
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

TEST_CASE("characters are one-hot unless ids are requested") {
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

TEST_CASE("sequences must have a length and a step, and must fit the text") {
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

TEST_CASE("a network of ids gets ids, a network of numbers gets one-hot characters") {
  const rp::text_corpus text = corpus("abcdefgh");
  const rp::character_sequences ids(text, {.length = 3, .step = 2, .given = rp::characters_as::ids}),
      one_hot(text, {.length = 3, .step = 2});
  rp::feeder<float> of_ids(ids, {.inputs = {{{3}, rp::element::i32}}, .targets = {{.classes = 8}}, .batch = 2});
  of_ids.take(0, 2);
  const auto tokens = of_ids.x().ids(), labels = of_ids.targets().ids();
  CHECK(std::vector(tokens.begin(), tokens.end()) == std::vector<std::int32_t>{0, 1, 2, 2, 3, 4});
  CHECK(std::vector(labels.begin(), labels.end()) == std::vector<std::int32_t>{3, 5});
  rp::feeder<double> of_numbers(one_hot, {.inputs = {{{3, 8}}}, .targets = {{.classes = 8}}, .batch = 2});
  of_numbers.take(0, 2);
  CHECK(of_numbers.x().numbers()[2 * 8 + 2] == 1);
  CHECK(of_numbers.x().numbers()[2 * 8 + 3] == 0);
}

TEST_CASE("the first nine tenths of a text are for training, the rest for testing") {
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
                       doctest::Contains("has 9 characters; must have 10 or more"), rp::value_error);
}
