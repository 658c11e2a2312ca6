// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <ridgepoint/reference/all.hpp>

#include "support/near.hpp"
#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

TEST_CASE_TEMPLATE("every optimiser reduces the loss", Optimiser, nn::sgd, nn::momentum, nn::rmsprop_keras,
                   nn::rmsprop_tf1, nn::adam, nn::adamw, nn::adadelta) {
  rp::graph net("learn");
  const rp::node y = net.input({6}) | nn::dense{.units = 8} | nn::tanh{} | nn::dense{.units = 3};
  auto trainer =
      net.train<double>(rp::reference, y, nn::softmax_cross_entropy{}, Optimiser{}, {.batch = 30, .seed = 2});
  const toy::corners data;
  const double before = trainer.evaluate(data).loss;
  trainer.fit(data, {.epochs = 10});
  CAPTURE(Optimiser::name);
  CHECK(trainer.evaluate(data).loss < before);
}

namespace {
/// Returns the first step's change of one weight, and its gradient.
template <class Optimiser>
std::pair<double, double> first_change(Optimiser optimiser) {
  rp::graph net("one");
  const rp::node y = net.input({1}) | nn::dense{.units = 1, .bias = false};
  auto trainer = net.train<double>(rp::reference, y, nn::mse{}, optimiser, {.batch = 1, .seed = 4});
  const double before = trainer.parameter("dense_1.w")[0], x = 2, target = 1;
  trainer.step(std::span(&x, 1), std::span(&target, 1));
  return {trainer.parameter("dense_1.w")[0] - before, trainer.gradient("dense_1.w")[0]};
}
}  // namespace

TEST_CASE("the first step is the formula's, from the moments' initial values") {
  const auto [sgd, g] = first_change(nn::sgd{.learning_rate = 0.1});
  CHECK(sgd == near(-0.1 * g));
  CHECK(first_change(nn::momentum{.learning_rate = 0.1}).first == near(-0.1 * g));
  CHECK(first_change(nn::adam{.learning_rate = 0.1}).first == near(-0.1 * g / (std::abs(g) + 1e-7 / std::sqrt(0.001))));
  CHECK(first_change(nn::rmsprop_keras{.learning_rate = 0.1}).first ==
        near(-0.1 * g / (std::sqrt(0.1 * g * g) + 1e-7)));
  CHECK(first_change(nn::rmsprop_tf1{.learning_rate = 0.1}).first ==  // the mean square starts at one
        near(-0.1 * g / std::sqrt(1 + 0.1 * (g * g - 1) + 1.0)));
  CHECK(first_change(nn::adadelta{}).first == near(-g * std::sqrt(1e-7) / std::sqrt(0.05 * g * g + 1e-7)));
}
