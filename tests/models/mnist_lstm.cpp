// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/mnist.hpp>
#include <ridgepoint/reference/all.hpp>

#include "counts.hpp"
#include "recurrent_start.hpp"

namespace rp = ridgepoint;
using rp::models::mnist_lstm;

TEST_CASE("study A's LSTM has the published layers: parameters and matrix FLOP, all 28 steps counted") {
  const counts c(mnist_lstm{}, mnist_lstm::batch);
  CHECK(c.parameters == 1'345'034);
  CHECK(c.forward == 75'011'072);
  CHECK(c.training == 223'427'584);
  CHECK(
      layers_of(mnist_lstm{}) ==
      layer_counts{{291'840, 2 * 8'142'848}, {525'312, 2 * 14'680'064}, {525'312, 2 * 14'680'064}, {2'570, 2 * 2'560}});
}

TEST_CASE("study A's LSTM trains with the study's options") {
  CHECK(mnist_lstm::optimiser{}.learning_rate == 0.01);
  CHECK(mnist_lstm::batch == 128);
  CHECK(mnist_lstm::epochs == 1);
  rp::graph net("digits");
  const rp::node logits = mnist_lstm::build(net);
  std::vector<std::string> kinds;
  for (const auto& each : net.nodes()) kinds.push_back(each.layer ? std::string(each.layer->name()) : "input");
  const std::vector<std::string> wanted{"input", "reshape", "lstm", "dropout", "lstm", "dropout", "lstm", "dense"};
  CHECK(kinds == wanted);
  std::size_t shared = 0;
  for (const auto& each : net.nodes())
    if (const auto* dropout = each.layer ? each.layer->target<rp::nn::dropout>() : nullptr)
      shared += dropout->shared_steps && dropout->rate == 0.2F;
  CHECK(shared == 2);
}

TEST_CASE("study A's LSTM learns from a step on noise") {
  rp::graph net("digits");
  const rp::node logits = mnist_lstm::build(net);
  auto trainer =
      net.train<float>(rp::reference, logits, mnist_lstm::loss{}, mnist_lstm::optimiser{}, {.batch = 2, .seed = 4});
  std::vector<float> x(2 * 784);
  rp::random_stream random(1);
  for (float& v : x) v = static_cast<float>(random.uniform());
  const rp::tensor<float> before = trainer.parameter("dense_1.b");
  const double loss = trainer.step(x, std::vector<std::int32_t>{3, 7});
  CHECK(std::abs(loss - std::log(10.0)) < 1.5);
  CHECK(trainer.parameter("dense_1.b")[3] > before[3]);
}

TEST_CASE("study A's LSTM starts with orthonormal rows of the recurrent weights, as in Keras") {
  check_orthonormal_start<mnist_lstm>("lstm", 1024);
}
