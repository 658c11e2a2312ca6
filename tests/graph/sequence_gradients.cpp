// SPDX-License-Identifier: MIT
// Networks on sequences: the gradient a trainer computes is the slope of the loss it reports.
#include <doctest/doctest.h>

#include "slope.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;
using slope::worst_slope;

namespace {
constexpr std::int32_t sequence_labels[] = {2, 0, 1, 1, 2};
constexpr std::int32_t next[] = {2, 0, 1, 1, 2, 0, 0, 2, 1, 1, 2, 2, 0, 1, 0};  // 3 steps of 5 samples
}  // namespace

TEST_CASE("stacks of rnn, lstm and gru: all steps below, the last one on top") {
  for (const auto reset : {rp::gru_reset::before, rp::gru_reset::after}) {
    rp::graph net("stack");
    rp::node y = net.input({4, 3}) | nn::rnn{.units = 3, .sequences = true};
    y = y | nn::lstm{.units = 4, .sequences = true} | nn::dropout{.rate = 0.2F};
    y = y | nn::gru{.units = 3, .sequences = true, .reset = reset} |
        nn::rnn{.units = 2, .act = rp::activation::sigmoid};
    CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, sequence_labels, 5 * 4 * 3) < 1e-6);
  }
}

TEST_CASE("the last state of lstm and gru") {
  rp::graph net("last");
  const rp::node x = net.input({5, 2}) | nn::dense{.units = 3};
  const rp::node y = rp::add(x | nn::lstm{.units = 4}, x | nn::gru{.units = 4, .reset = rp::gru_reset::after});
  CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, sequence_labels, 5 * 5 * 2) < 1e-6);
}

TEST_CASE("a language model: tokens, an embedding, a cell, one label a step") {
  rp::graph net("language");
  const rp::node logits = net.input({3}) | nn::embedding{.vocabulary = 4, .width = 3} |
                          nn::gru{.units = 3, .sequences = true} | nn::dense{.units = 3};
  auto trainer =
      net.train<double>(rp::reference, logits, nn::softmax_cross_entropy{}, nn::sgd{.learning_rate = 0}, {.batch = 5});
  std::vector<double> tokens(15);
  rp::random_stream random(3);
  for (double& token : tokens) token = random.below(4);
  CHECK(worst_slope(trainer, std::span<const double>(tokens), next) < 1e-6);
}

TEST_CASE("an embedding stands at the beginning") {
  rp::graph net("late");
  const rp::node y = net.input({3}) | nn::dense{.units = 3} | nn::embedding{.vocabulary = 4, .width = 2} |
                     nn::flatten{} | nn::dense{.units = 3};
  CHECK_THROWS_WITH_AS(
      static_cast<void>(rp::plan_training<float>(net, y, nn::softmax_cross_entropy{}, nn::sgd{}, {.batch = 2})),
      doctest::Contains("embedding: its input depends on a parameter; must be tokens"), rp::unsupported);
}
