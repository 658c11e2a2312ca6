// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/data/characters.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/text.hpp>
#include <support/temporary_directory.hpp>

namespace rp = ridgepoint;

namespace {
rp::text_corpus letters(const std::string& text) {
  const temporary_directory there;
  write_bytes(there / "text", text);
  return rp::text_corpus(there / "text");
}
}  // namespace

TEST_CASE("the second window of a pair is the target; the inputs are the first window and the preceding characters") {
  const rp::character_pairs data(letters("abcdefghijk"), {.length = 3, .step = 4});
  CHECK(data.size() == 2);
  CHECK(data.sample_shape() == rp::shape{2, 3});
  CHECK(data.target_shape() == rp::shape{3});
  CHECK(data.classes() == 11);
  CHECK(data.gathered() == rp::gathering::on_any_threads);
  const std::vector<rp::index_t> rows{1, 0};
  std::vector<float> x(12);
  std::vector<std::int32_t> next(6);
  data.gather(rows, x.data(), next.data());
  CHECK(x == std::vector<float>{6, 7, 8, 4, 5, 6, 2, 3, 4, 0, 1, 2});
  CHECK(data.text().vocabulary().decode(next) == "hijdef");
}

TEST_CASE("a Transformer takes the decoder input first, then the source") {
  rp::graph net("order");
  const rp::node logits =
      rp::models::transformer{.layers = 1, .width = 2, .hidden = 2, .heads = 1, .vocabulary = 3, .steps = 4}.logits(
          net);
  const rp::compiled made = rp::plan_inference(net, logits);
  REQUIRE(made.inputs.size() == 2);
  const std::string source = net.nodes()[0].name;
  CHECK(made.plan[made.inputs[0]].name != source);
  CHECK(made.plan[made.inputs[1]].name == source);
}

TEST_CASE("the number of pairs follows from the length of the text") {
  const auto pairs = [](std::size_t characters, rp::index_t length, rp::index_t step) {
    return rp::character_pairs(letters(std::string(characters, 'a')), {.length = length, .step = step}).size();
  };
  CHECK(pairs(128, 64, 128) == 1);
  CHECK(pairs(255, 64, 128) == 1);
  CHECK(pairs(256, 64, 128) == 2);
  CHECK(pairs(7, 1, 1) == 6);
}

TEST_CASE("windows must have a length and a step, and two of them must fit the text") {
  const rp::text_corpus text = letters("abcd");
  const auto make = [&](rp::index_t length, rp::index_t step) {
    return rp::character_pairs(text, {.length = length, .step = step});
  };
  CHECK(make(2, 9).size() == 1);
  CHECK_THROWS_WITH_AS(make(3, 1), "character_pairs: the text has 4 characters; must have two windows of 3",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(make(0, 1), "character_pairs: length is 0 and step 1; must be >= 1", rp::value_error);
  CHECK_THROWS_WITH_AS(make(2, 0), "character_pairs: length is 2 and step 0; must be >= 1", rp::value_error);
  CHECK_THROWS_AS(make(std::numeric_limits<rp::index_t>::max(), 1), rp::shape_error);
}

TEST_CASE("the first nine tenths of a text are for training, the rest for testing") {
  const temporary_directory there;
  write_bytes(there / "text", "ABCDEFGHIJabcdefghix");
  const rp::text_pair_data data = rp::text_pairs(there / "text", {.length = 1, .step = 1});
  CHECK(data.train.size() == 17);
  CHECK(data.test.size() == 1);
  CHECK(data.test.classes() == 11);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::text_pairs(there / "text")),
                       doctest::Contains("has 2 characters; must have two windows of 64"), rp::value_error);
  write_bytes(there / "text", "abcdefghi");
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::text_pairs(there / "text")), doctest::Contains("text_pairs: "),
                       rp::value_error);
}
