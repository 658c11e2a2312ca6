// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <ridgepoint/data/sample_text.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/reference/all.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

const rp::character_vocabulary five("abcdé");

/// Network of the next of five characters given the last of three: ids, or one-hot characters.
rp::node next_by_last(rp::graph& net, bool one_hot) {
  const rp::node x =
      one_hot ? net.input({3, 5}) : net.input({3}, rp::element::i32) | nn::embedding{.vocabulary = 5, .width = 5};
  return x | nn::reshape{{15}} | nn::dense{.units = 5, .bias = false};
}
/// Sessions of the network: c → c + 1 is e times as likely as c → c, which is e^7 times as likely as any other
/// character.
auto chain(bool one_hot, rp::index_t batch = 1) {
  rp::graph net("chain");
  auto session = net.compile<float>(rp::reference, next_by_last(net, one_hot), {.batch = batch});
  std::vector<float> w(15 * 5), same(25);
  for (std::size_t c = 0; c < 5; ++c) {
    same[c * 6] = 1;
    float* const row = &w[(10 + c) * 5];
    row[(c + 1) % 5] = 8;
    row[c] = 7;
  }
  session.set_parameter("dense_1.w", w);
  if (!one_hot) session.set_parameter("embedding_1.w", same);
  return session;
}

}  // namespace

TEST_CASE("a text continues as the network predicts, with ids or one-hot characters") {
  for (const bool one_hot : {false, true}) {
    const auto network = chain(one_hot);
    CHECK(rp::sample_text(network, five, "aab", {.characters = 7, .temperature = 1e-6}) == "cdéabcd");
    CHECK(rp::sample_text(network, five, "éééaad", {.characters = 2, .temperature = 1e-6}) == "éa");
    CHECK(rp::sample_text(network, five, "aab", {.characters = 0}).empty());
  }
  CHECK(rp::sample_text(chain(true), five, "abc", {.characters = 60, .temperature = 1}) ==
        rp::sample_text(chain(false), five, "abc", {.characters = 60, .temperature = 1}));
}

TEST_CASE("the seed decides the draws, the temperature the share of unlikely characters") {
  const auto network = chain(false);
  const auto text = [&](double temperature, std::uint64_t seed) {
    const std::string drawn =
        rp::sample_text(network, five, "abc", {.characters = 400, .temperature = temperature, .seed = seed});
    return five.encode(drawn);
  };
  CHECK(text(1, 1) == text(1, 1));
  CHECK(text(1, 1) != text(1, 2));
  const auto stays = [&](double temperature) {
    const auto ids = text(temperature, 5);
    int same = 0;
    for (std::size_t i = 1; i < ids.size(); ++i) same += ids[i] == ids[i - 1];
    return same;
  };
  CHECK(std::abs(stays(1) - 399 * 0.2689) < 45);  // 1 / (1 + e), five deviations
  CHECK(stays(0.2) < 15);                         // 1 / (1 + e⁵) is one in 149
}

TEST_CASE("invalid networks, texts and options are refused") {
  const auto network = chain(false);
  const auto sample = [](const auto& with, std::string_view begin, const rp::sample_text_options& o = {}) {
    static_cast<void>(rp::sample_text(with, five, begin, o));
  };
  CHECK_THROWS_WITH_AS(sample(network, "éb"), "sample_text: begins with 2 characters; must be 3 or more",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(sample(network, "abz"), doctest::Contains("encode: character 2 of the text"), rp::value_error);
  CHECK_THROWS_WITH_AS(sample(network, "abc", {.characters = -1}), "sample_text: characters is -1; must be >= 0",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(sample(network, "abc", {.temperature = 0}), doctest::Contains("temperature is 0"),
                       rp::value_error);
  CHECK_THROWS_WITH_AS(sample(chain(false, 2), "abc"),
                       "sample_text: of 1 inputs and 1 outputs in batches of 2; must be one each, in batches of 1",
                       rp::shape_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::sample_text(chain(true), rp::character_vocabulary("abcd"), "abc")),
                       "sample_text: the network makes 5 of 3x5; must make 4 logits, of ids or one-hot characters",
                       rp::shape_error);
}
