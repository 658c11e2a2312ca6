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

TEST_CASE("lstm with a projected state: all steps below, the last one on top") {
  for (const rp::index_t projection : {1, 2, 6}) {
    rp::graph net("projected");
    const rp::node y = net.input({4, 3}) | nn::lstm{.units = 4, .projection = projection, .sequences = true} |
                       nn::lstm{.units = 3, .projection = 2};
    CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, sequence_labels, 5 * 4 * 3) < 1e-6);
  }
}

TEST_CASE("layer normalisation of the input, of every step and of the last state") {
  rp::graph net("normalised");
  rp::node y = net.input({4, 3}) | nn::layer_norm{} | nn::lstm{.units = 4, .sequences = true} | nn::layer_norm{};
  y = y | nn::gru{.units = 5} | nn::layer_norm{.epsilon = 1e-5};
  CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, sequence_labels, 5 * 4 * 3) < 1e-6);
}

TEST_CASE("root mean square normalisation of the input, of every step and of the last state") {
  rp::graph net("normalised");
  rp::node y = net.input({4, 3}) | nn::rms_norm{} | nn::lstm{.units = 4, .sequences = true} | nn::rms_norm{};
  y = y | nn::gru{.units = 5} | nn::rms_norm{.epsilon = 1e-5};
  CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, sequence_labels, 5 * 4 * 3) < 1e-6);
  CHECK_THROWS_AS(static_cast<void>(net.input({3}) | nn::rms_norm{.epsilon = 0}), rp::value_error);
}

TEST_CASE("dropout that all steps share, through eight steps of a recurrent layer") {
  rp::graph net("shared");
  const rp::node x = net.input({8, 3}) | nn::dense{.units = 4};
  const rp::node y = x | nn::dropout{.rate = 0.4F, .shared_steps = true} | nn::lstm{.units = 3, .sequences = true} |
                     nn::dropout{.rate = 0.3F, .shared_steps = true} | nn::rnn{.units = 4};
  CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, sequence_labels, 5 * 8 * 3) < 1e-6);
}

namespace {
/// Checks bidirectional recurrent layers over four steps, after a layer that needs the gradient of its output, and
/// (with concat) as the first layer.
template <class Cell>
void check_both_directions(const Cell& cell) {
  for (const auto merge : {rp::merge_rule::concat, rp::merge_rule::sum, rp::merge_rule::average})
    for (const bool sequences : {true, false})
      for (const bool first : {true, false}) {
        if (first && merge != rp::merge_rule::concat) continue;
        CAPTURE(static_cast<int>(merge));
        CAPTURE(sequences);
        CAPTURE(first);
        rp::graph net("both");
        const rp::node x = net.input({4, 3});
        nn::bidirectional<Cell> both{.cell = cell, .merge = merge};
        both.cell.sequences = sequences;
        rp::node y = (first ? x : x | nn::dense{.units = 2}) | both;
        if (sequences) y = y | nn::rnn{.units = 3};
        CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, sequence_labels, 5 * 4 * 3) <
              1e-6);
      }
}
}  // namespace

TEST_CASE("rnn in both directions: side by side, summed and averaged") { check_both_directions(nn::rnn{.units = 2}); }
TEST_CASE("lstm in both directions, its state projected or not") {
  check_both_directions(nn::lstm{.units = 2});
  check_both_directions(nn::lstm{.units = 3, .projection = 2});
}
TEST_CASE("gru in both directions, reset before and after") {
  check_both_directions(nn::gru{.units = 2});
  check_both_directions(nn::gru{.units = 2, .reset = rp::gru_reset::after});
}

TEST_CASE("the mean over eight steps, and a dense layer at each of them") {
  rp::graph net("mean");
  const rp::node y = net.input({8, 3}) | nn::dense{.units = 4} | nn::tanh{} | nn::dense{.units = 2} |
                     nn::global_avg_pool1d{} | nn::dense{.units = 3};
  CHECK(worst_slope(net, y, nn::softmax_cross_entropy{}, sequence_labels, 5 * 8 * 3) < 1e-6);
}

TEST_CASE("a language model: tokens, an embedding, a cell, one label a step") {
  rp::graph net("language");
  const rp::node logits = net.input({3}, rp::element::i32) | nn::embedding{.vocabulary = 4, .width = 3} |
                          nn::gru{.units = 3, .sequences = true} | nn::dense{.units = 3};
  auto trainer =
      net.train<double>(rp::reference, logits, nn::softmax_cross_entropy{}, nn::sgd{.learning_rate = 0}, {.batch = 5});
  std::vector<std::int32_t> tokens(15);
  rp::random_stream random(3);
  for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random.below(4));
  CHECK(worst_slope(trainer, tokens, next) < 1e-6);
}

TEST_CASE("an embedding takes ids, and every other layer numbers") {
  rp::graph net("ids");
  const rp::node ids = net.input({3}, rp::element::i32), numbers = net.input({3});
  CHECK_THROWS_WITH_AS(static_cast<void>(numbers | nn::dense{.units = 3} | nn::embedding{.vocabulary = 4, .width = 2}),
                       "embedding: dense_1 is of numbers; must be of i32: net.input(shape, rp::element::i32)",
                       rp::value_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(ids | nn::dense{.units = 3}), "dense: input_1 is of i32; must be of numbers",
                       rp::value_error);
  const rp::node y = numbers | nn::dense{.units = 3};
  CHECK_THROWS_WITH_AS(net.rewire(y, 0, ids), "rewire: input_1 is of i32; must be of numbers", rp::value_error);
  CHECK_THROWS_WITH_AS(net.input({3}, rp::element::f64),
                       "input: is of f64; must be of i32, or of the network's numbers (the default)", rp::value_error);
}
