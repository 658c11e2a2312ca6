// SPDX-License-Identifier: MIT
// A dense layer at every step of a sequence, and a loss over the labelled steps.
#include <doctest/doctest.h>

#include <cmath>

#include "slope.hpp"
#include "support/near.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {
constexpr std::size_t steps = 4, samples = 5, width = 3;
const std::vector<std::int32_t> partly_labelled{2, 0, 1, 1, -1, -1, -1, -1, 0, -1, -1, -1, 2, 2, 0, -1, 1, 0, 2, 1};

template <class Values>
std::vector<double> to_vector(const Values& values) {
  return {values.begin(), values.end()};
}
}  // namespace

TEST_CASE("a dense layer over a sequence is the layer at each of its steps, forward and backward") {
  const std::vector<double> x = slope::random_values(samples * steps * width, 1),
                            targets = slope::random_values(samples * steps * 2, 2);
  const auto trained = [&](const rp::shape& sample, rp::index_t batch) {
    rp::graph net("dense");
    const rp::node y = net.input(sample) | nn::dense{.units = 6} | nn::tanh{} | nn::dense{.units = 2};
    auto trainer =
        net.train<double>(rp::reference, y, nn::mse{}, nn::sgd{.learning_rate = 0.1}, {.batch = batch, .seed = 5});
    std::vector<std::vector<double>> all{to_vector(trainer.predict(x))};
    all.push_back({trainer.step(x, targets)});
    for (const char* name : {"dense_1.w", "dense_1.b", "dense_2.w", "dense_2.b"}) {
      all.push_back(to_vector(trainer.gradient(name)));
      all.push_back(to_vector(trainer.parameter(name)));
    }
    return all;
  };
  CHECK(trained({steps, width}, samples) == trained({width}, samples * steps));
}

TEST_CASE("the gradient of a loss that ignores padded steps is its slope") {
  rp::graph net("masked");
  const rp::node y = net.input({steps, width}) | nn::dense{.units = 4} | nn::gru{.units = 3, .sequences = true} |
                     nn::dense{.units = 3};
  CHECK(slope::worst_slope(net, y, nn::softmax_cross_entropy{.ignored = -1}, partly_labelled, samples * steps * width) <
        1e-6);
}

TEST_CASE("loss and accuracy cover the counted steps of all batches") {
  rp::graph net("counted");
  const rp::node y = net.input({steps, width}) | nn::dense{.units = 3};
  auto trainer = net.train<double>(rp::reference, y, nn::softmax_cross_entropy{.ignored = -1},
                                   nn::sgd{.learning_rate = 0}, {.batch = 2, .seed = 3});
  const std::vector<double> x = slope::random_values(samples * steps * width, 4);
  const auto logits = trainer.predict(x);
  double loss = 0;
  rp::index_t counted = 0, correct = 0;
  for (std::size_t row = 0; row < partly_labelled.size(); ++row) {
    if (partly_labelled[row] < 0) continue;
    const double* const z = logits.data() + 3 * row;
    const double sum = std::exp(z[0]) + std::exp(z[1]) + std::exp(z[2]);
    loss += std::log(sum) - z[partly_labelled[row]];
    correct += std::max_element(z, z + 3) - z == partly_labelled[row] ? 1 : 0;
    ++counted;
  }
  const rp::evaluation found = trainer.evaluate(x, partly_labelled);
  CHECK(found.labels == counted);
  CHECK(found.correct == correct);
  CHECK(found.loss == near(loss / static_cast<double>(counted), 1e-12));
  CHECK(found.samples == samples);

  const std::span<const double> first(x.data(), 2 * steps * width);
  const std::vector<std::int32_t> none(2 * steps, -1),
      some(partly_labelled.begin(), partly_labelled.begin() + 2 * steps);
  static_cast<void>(trainer.step(first, some));
  CHECK(trainer.judged()[0].labels == 4);
  CHECK(trainer.step(first, none) == 0);
  CHECK(trainer.judged()[0].labels == 0);
  CHECK(trainer.judged()[0].correct == 0);
  const auto gradient = trainer.gradient("dense_1.w");
  for (const double g : gradient) CHECK(g == 0);
  const std::vector<std::int32_t> bad(2 * steps, -2);
  CHECK_THROWS_WITH_AS(trainer.step(first, bad), doctest::Contains("or -1, which is ignored"), rp::value_error);
}

TEST_CASE("each of several losses is the mean over its own labels") {
  rp::graph net("two");
  const rp::node x = net.input({steps, width}) | nn::dense{.units = 3};
  auto trainer = net.train<double>(rp::reference,
                                   {{x, nn::softmax_cross_entropy{.ignored = -1}, 0.5}, {x | nn::tanh{}, nn::mse{}, 2}},
                                   nn::sgd{.learning_rate = 0}, {.batch = 2, .seed = 3});
  const std::vector<double> in = slope::random_values(samples * steps * width, 4),
                            wanted = slope::random_values(samples * steps * 3, 6);
  const rp::evaluation both = trainer.evaluate(in, {partly_labelled, wanted});
  auto alone = net.train<double>(rp::reference, x, nn::softmax_cross_entropy{.ignored = -1},
                                 nn::sgd{.learning_rate = 0}, {.batch = samples, .seed = 3});
  CHECK(both.each[0].loss == near(alone.evaluate(in, partly_labelled).loss, 1e-12));
  CHECK(both.loss == near(0.5 * both.each[0].loss + 2 * both.each[1].loss, 1e-12));
}
