// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/text.hpp>
#include <ridgepoint/reference/all.hpp>

#include "counts.hpp"

namespace rp = ridgepoint;
using rp::models::imdb_bidirectional_lstm;

TEST_CASE(
    "the bidirectional LSTM on reviews has the published layers: parameters and matrix FLOP, every step counted") {
  const counts c(imdb_bidirectional_lstm{}, 2);
  CHECK(c.parameters == 2'658'945);
  CHECK(c.forward == 19'661'056);
  CHECK(c.training == 58'983'168);
  CHECK(layers_of(imdb_bidirectional_lstm{}) == layer_counts{{2'560'000, 0}, {98'816, 2 * 9'830'400}, {129, 2 * 128}});
}

TEST_CASE("the bidirectional LSTM on reviews trains with the study's options") {
  constexpr imdb_bidirectional_lstm::optimiser adam;
  CHECK((adam.learning_rate == 1e-3 && adam.options.beta1 == 0.9 && adam.options.beta2 == 0.999));
  CHECK(adam.options.epsilon == 1e-8);
  CHECK((imdb_bidirectional_lstm::batch == 32 && imdb_bidirectional_lstm::epochs == 4));
}

TEST_CASE("a small bidirectional LSTM on reviews memorises random texts") {
  const imdb_bidirectional_lstm model{.text = {.vocabulary = 9, .steps = 6}};
  rp::graph net("text");
  auto trainer = net.train<float>(rp::reference, model.build(net), imdb_bidirectional_lstm::loss{},
                                  imdb_bidirectional_lstm::optimiser{}, {.batch = 4, .seed = 2});
  std::vector<std::int32_t> tokens(4 * 6);
  rp::random_stream random(1);
  for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random.below(9));
  const std::vector<float> positive{1, 0, 0, 1};
  const double before = trainer.step(tokens, positive);
  double after = before;
  for (int step = 0; step < 40; ++step) after = trainer.step(tokens, positive);
  CHECK(after < 0.8 * before);
}
