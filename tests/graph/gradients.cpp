// SPDX-License-Identifier: MIT
// The gradient a trainer computes is the slope of the loss it reports: whole networks, central differences in double.
#include <doctest/doctest.h>

#include <ridgepoint/reference/all.hpp>

#include "toy.hpp"

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

namespace {

std::vector<double> random_values(std::size_t count, std::uint64_t stream) {
  rp::random_stream random(11, stream);
  std::vector<double> values(count);
  for (double& v : values) v = random.uniform(-1, 1);
  return values;
}

/// Largest difference between gradient and slope over all parameters, relative to the largest gradient.
///
/// The learning rate is 0, so that steps change nothing but the step count, which is set back since dropout's masks
/// depend on it. Parameters are random: with biases of 0 a unit whose inputs are all dropped would sit on ReLU's kink.
template <class Trainer>
double worst_slope(Trainer& trainer, std::span<const double> x, std::span<const typename Trainer::target> targets) {
  const auto loss = [&] {
    trainer.learning().set_state({.learning_rate = 0});
    return trainer.step(x, targets);
  };
  const auto& parameters = trainer.learning().made().parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const auto count = static_cast<std::size_t>(parameters[p].spec.extents.size());
    trainer.set_parameter(parameters[p].name, random_values(count, 100 + p));
  }
  static_cast<void>(loss());
  std::vector<rp::tensor<double>> gradients;
  for (const auto& p : parameters) gradients.push_back(trainer.gradient(p.name));

  double worst = 0, largest = 0;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const std::string& name = parameters[p].name;
    const rp::tensor<double>& gradient = gradients[p];
    const rp::tensor<double> start = trainer.parameter(name);
    for (rp::index_t i = 0; i < start.size(); ++i) {
      constexpr double h = 1e-5;
      rp::tensor<double> moved = start;
      moved[i] = start[i] + h;
      trainer.set_parameter(name, moved.values());
      const double above = loss();
      moved[i] = start[i] - h;
      trainer.set_parameter(name, moved.values());
      const double below = loss();
      worst = std::max(worst, std::abs((above - below) / (2 * h) - gradient[i]));
      largest = std::max(largest, std::abs(gradient[i]));
    }
    trainer.set_parameter(name, start.values());
  }
  REQUIRE(largest > 0);
  return worst / largest;
}

template <class Loss>
double worst_slope(const rp::graph& net, const rp::node& y, Loss loss,
                   std::span<const typename Loss::template target<double>> targets, std::size_t inputs) {
  auto trainer = net.train<double>(rp::reference, y, loss, nn::sgd{.learning_rate = 0}, {.batch = 5, .seed = 17});
  return worst_slope(trainer, random_values(inputs, 1), targets);
}

constexpr std::int32_t labels[] = {2, 0, 1, 1, 2};

}  // namespace

TEST_CASE("the study's MLP in small: dense, ReLU, dropout, softmax cross-entropy") {
  rp::graph net("mlp");
  rp::node y = net.input({7});
  for (int i = 0; i < 3; ++i) y = y | nn::dense{.units = 6} | nn::relu{} | nn::dropout{.rate = 0.45F};
  CHECK(worst_slope(net, y | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, labels, 35) < 1e-6);
}

TEST_CASE("residual branches, shared values and every activation") {
  rp::graph net("residual");
  const rp::node x = net.input({3, 2}) | nn::flatten{};
  const rp::node a = x | nn::dense{.units = 6} | nn::sigmoid{};
  const rp::node b = rp::add(x, a | nn::dense{.units = 6, .bias = false} | nn::tanh{});
  const rp::node c = rp::add(b, b | nn::leaky_relu{.slope = 0.1} | nn::dense{.units = 6} | nn::hard_sigmoid{});
  const rp::node d = rp::add(rp::add(c, c), rp::add(a, c) | nn::relu{});
  CHECK(worst_slope(net, d | nn::dense{.units = 3}, nn::softmax_cross_entropy{}, labels, 30) < 1e-6);
}

TEST_CASE("dense along the innermost extent, mean squared error") {
  rp::graph net("pixels");
  const rp::node y = net.input({2, 3}) | nn::dense{.units = 4} | nn::tanh{} | nn::dense{.units = 2};
  CHECK(worst_slope(net, y, nn::mse{}, random_values(5 * 4, 2), 30) < 1e-6);
}

TEST_CASE("binary cross-entropy on logits") {
  rp::graph net("binary");
  const rp::node y = net.input({4}) | nn::dense{.units = 5} | nn::sigmoid{} | nn::dense{.units = 1};
  const double targets[] = {0, 1, 1, 0, 1};
  CHECK(worst_slope(net, y, nn::binary_cross_entropy{}, targets, 20) < 1e-6);
}
