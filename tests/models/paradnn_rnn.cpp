// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>

#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/paradnn.hpp>
#include <ridgepoint/reference/all.hpp>

#include "counts.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
namespace models = ridgepoint::models;
using rp::index_t;

namespace {

template <class Model>
void check_counts(const Model& model) {
  const counts c(model, 2);
  const auto L = static_cast<std::uint64_t>(model.layers), E = static_cast<std::uint64_t>(model.width),
             V = static_cast<std::uint64_t>(model.vocabulary), T = static_cast<std::uint64_t>(model.steps);
  CHECK(c.parameters == model.parameter_count());
  CHECK(c.forward == 2 * T * (L * Model::gates * 2 * E * E + E * V));
  CHECK(c.training == 3 * c.forward);
}

}  // namespace

TEST_CASE("parameters and FLOP match ParaDnn's formulas, for every cell") {
  for (const index_t layers : {1, 5})
    for (const index_t width : {100, 500})
      for (const index_t vocabulary : {2, 512})
        for (const index_t steps : {10, 90}) {
          check_counts(models::paradnn_rnn{layers, width, vocabulary, steps});
          check_counts(models::paradnn_gru{layers, width, vocabulary, steps});
          check_counts(models::paradnn_lstm{layers, width, vocabulary, steps});
        }
}

TEST_CASE("the published ends of the range: one layer of 100 to 13 layers of 900") {
  const counts small(models::paradnn_rnn{.layers = 1, .width = 100});
  CHECK(small.parameters == 123'012);
  CHECK(small.forward == 7'120'000);
  const counts rnn(models::paradnn_rnn{.layers = 13, .width = 900});
  CHECK(rnn.parameters == 21'993'812);
  CHECK(rnn.forward / 1'000'000 == 2'152);
  const counts gru(models::paradnn_gru{.layers = 13, .width = 900});
  CHECK(gru.parameters == 64'137'212);
  CHECK(gru.forward / 1'000'000 == 6'364);
  const counts lstm(models::paradnn_lstm{.layers = 13, .width = 900});
  CHECK(lstm.parameters == 85'208'912);
  CHECK(lstm.forward / 1'000'000 == 8'470);
}

TEST_CASE_TEMPLATE("a small network learns to predict the next token", Model, models::paradnn_rnn, models::paradnn_gru,
                   models::paradnn_lstm) {
  const Model model{.layers = 1, .width = 8, .vocabulary = 4, .steps = 6};
  rp::graph net("language");
  const rp::node logits = model.build(net);
  auto trainer = net.template train<float>(rp::reference, logits, typename Model::loss{},
                                           rp::nn::adam{.learning_rate = 0.05}, {.batch = 4, .seed = 1});
  std::vector<std::int32_t> tokens, next;
  for (int sample = 0; sample < 4; ++sample)
    for (int t = 0; t < 6; ++t) {
      tokens.push_back((sample + t) % 4);  // 0 1 2 3 0 1 …
      next.push_back((sample + t + 1) % 4);
    }
  const double before = trainer.step(tokens, next);
  double after = before;
  for (int step = 0; step < 40; ++step) after = trainer.step(tokens, next);
  CHECK(before > 0.8);
  CHECK(after < 0.1);
}

TEST_CASE("paradnn-rnn trains as ParaDnn does: RMSProp, its rate decays by 0.9 over 10,000 steps, continuously") {
  constexpr models::paradnn_gru::optimiser rmsprop;
  CHECK((rmsprop.options.rho == 0.9 && rmsprop.options.momentum == 0.9 && rmsprop.options.epsilon == 1));
  const auto rate = [&](std::uint64_t step) {
    return rp::scheduled_rate(rmsprop.schedule, rmsprop.learning_rate, step);
  };
  CHECK(rate(0) == 0.1);
  CHECK(rate(5'000) == near(0.1 * std::sqrt(0.9), 1e-12));
  CHECK(rate(10'000) == near(0.09, 1e-12));
  CHECK(rate(30'000) == near(0.1 * 0.9 * 0.9 * 0.9, 1e-12));
  CHECK(models::configured<models::paradnn_rnn>({{"length", 7}}).steps == 7);
}

TEST_CASE("invalid parameters are refused") {
  rp::graph net("bad");
  CHECK_THROWS_WITH_AS((models::paradnn_gru{.layers = 0}.build(net)), "paradnn-gru: layers is 0; must be >= 1",
                       rp::value_error);
  CHECK_THROWS_WITH_AS((models::paradnn_rnn{.vocabulary = 0}.build(net)),
                       "embedding: vocabulary is 0; must be 1 to 2147483647", rp::value_error);
  CHECK_THROWS_AS((models::paradnn_rnn{.width = 0}.build(net)), rp::shape_error);
  CHECK_THROWS_AS((models::paradnn_lstm{.steps = 0}.build(net)), rp::shape_error);
}
