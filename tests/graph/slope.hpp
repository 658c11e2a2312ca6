// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <ridgepoint/reference/all.hpp>

#include "toy.hpp"

/// Compares the gradient a trainer computes with the slope of the loss it reports.
namespace slope {

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

inline std::vector<double> random_values(std::size_t count, std::uint64_t stream) {
  rp::random_stream random(11, stream);
  std::vector<double> values(count);
  for (double& v : values) v = random.uniform(-1, 1);
  return values;
}

/// Returns the largest difference between gradient and slope over all parameters, relative to the largest gradient.
///
/// The learning rate is 0, so that steps change only the step count, which is reset since dropout's masks depend on it.
/// Parameters are random: with biases of 0 a unit whose inputs are all dropped would be at ReLU's kink.
template <class Trainer>
double worst_slope(Trainer& trainer, const rp::host_values<double>& x, const rp::host_values<double>& targets) {
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
  for (const auto& p : parameters)
    gradients.push_back(p.spec.trainable ? trainer.gradient(p.name) : rp::tensor<double>(p.spec.extents));

  double worst = 0, largest = 0;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (!parameters[p].spec.trainable) continue;
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

/// For a batch of 5 random samples with `inputs` values in total, on the reference backend.
template <class Loss>
double worst_slope(const rp::graph& net, const rp::node& y, Loss loss, const rp::host_values<double>& targets,
                   std::size_t inputs) {
  auto trainer = net.train<double>(rp::reference, y, loss, nn::sgd{.learning_rate = 0}, {.batch = 5, .seed = 17});
  return worst_slope(trainer, random_values(inputs, 1), targets);
}

}  // namespace slope
