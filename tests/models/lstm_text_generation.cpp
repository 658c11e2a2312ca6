// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/text.hpp>
#include <ridgepoint/reference/all.hpp>

#include "counts.hpp"

namespace rp = ridgepoint;
using rp::models::lstm_text_generation;

TEST_CASE("the text-generating LSTM has the published layers: parameters and matrix FLOP, every step counted") {
  const counts c(lstm_text_generation{}, 2);
  CHECK(c.parameters == 102'585);
  CHECK(c.forward == 7'592'192);
  CHECK(c.training == 20'441'856);
  CHECK(layers_of(lstm_text_generation{}) == layer_counts{{95'232, 2 * 3'788'800}, {7'353, 2 * 7'296}});
}

TEST_CASE("the text-generating LSTM trains with the study's options") {
  constexpr lstm_text_generation::optimiser rmsprop;
  CHECK((rmsprop.learning_rate == 0.01 && rmsprop.options.rho == 0.9 && rmsprop.options.epsilon == 1e-8));
  CHECK((lstm_text_generation::batch == 128 && lstm_text_generation::epochs == 10));
}

TEST_CASE("a small text-generating LSTM memorises random texts") {
  const lstm_text_generation model{.text = {.vocabulary = 5, .steps = 6}};
  rp::graph net("text");
  auto trainer = net.train<float>(rp::reference, model.build(net), lstm_text_generation::loss{},
                                  lstm_text_generation::optimiser{}, {.batch = 4, .seed = 2});
  std::vector<float> one_of_each(4 * 6 * 5);
  rp::random_stream random(1);
  for (std::size_t character = 0; character < 4 * 6; ++character) one_of_each[character * 5 + random.below(5)] = 1;
  const std::vector<std::int32_t> next{0, 3, 4, 1};
  const double before = trainer.step(one_of_each, next);
  double after = before;
  for (int step = 0; step < 10; ++step) after = trainer.step(one_of_each, next);
  CHECK(after < 0.5 * before);
}
