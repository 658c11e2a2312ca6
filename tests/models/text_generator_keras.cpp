// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>

#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/text.hpp>
#include <ridgepoint/reference/all.hpp>

#include "counts.hpp"

namespace rp = ridgepoint;
using rp::models::text_generator_keras;

TEST_CASE(
    "the text generator of two outputs has the published layers: parameters and matrix FLOP, every step counted") {
  const counts c(text_generator_keras{}, 2);
  CHECK(c.parameters == 456'894);
  CHECK(c.forward == 17'967'872);
  CHECK(c.training == 53'903'616);
  layer_counts layers = layers_of(text_generator_keras{});
  std::sort(layers.begin(), layers.end());
  CHECK(layers == layer_counts{{512, 0},
                               {1'024, 0},
                               {7'353, 2 * 7'296},
                               {14'649, 2 * 14'592},
                               {17'100, 0},
                               {65'536, 2 * 65'536},
                               {131'072, 2 * 131'072},
                               {219'648, 2 * 8'765'440}});
  CHECK(c.moving == 1'536);
}

TEST_CASE("the text generator of two outputs trains with the study's options") {
  constexpr text_generator_keras::optimiser adam;
  CHECK((adam.learning_rate == 1e-3 && adam.options.epsilon == 1e-8));
  CHECK((text_generator_keras::batch == 128 && text_generator_keras::epochs == 10));
  rp::graph net("two");
  const auto objectives = text_generator_keras{}.objectives(net);
  CHECK((objectives.size() == 2 && objectives[0].weight == 1 && objectives[1].weight == 0.2));
}

TEST_CASE("a small text generator of two outputs memorises random texts") {
  const text_generator_keras model{.text = {.vocabulary = 9, .steps = 6}};
  rp::graph net("text");
  const auto objectives = model.objectives(net);
  auto trainer = net.train<float>(rp::reference, {objectives[0], objectives[1]}, text_generator_keras::optimiser{},
                                  {.batch = 4, .seed = 2});
  std::vector<std::int32_t> tokens(4 * 6);
  rp::random_stream random(1);
  for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random.below(9));
  const std::vector<std::int32_t> next{0, 3, 8, 1};
  const auto step = [&] { return trainer.step(tokens, {next, next}); };
  const double before = step();
  double after = before;
  for (int i = 0; i < 6; ++i) after = step();
  CHECK(after < 0.8 * before);
}
