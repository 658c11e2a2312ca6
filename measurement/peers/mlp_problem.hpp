// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <map>
#include <optional>

#include <ridgepoint/models/mnist.hpp>

#include "gemm_problem.hpp"
#include "measurement/trainers/reference.hpp"

namespace peer {

/// Returns the MNIST perceptron ready to train on a backend.
template <class Backend>
[[nodiscard]] auto mlp_trainer(const Backend& on, ridgepoint::index_t batch) {
  using model = ridgepoint::models::mnist_mlp;
  ridgepoint::graph net{std::string(model::name)};
  const ridgepoint::node logits = model::build(net);
  return net.train<float>(on, logits, model::loss{}, model::optimiser{}, {.batch = batch, .seed = 42});
}

/// Batch of random images.
struct mlp_batch {
  explicit mlp_batch(ridgepoint::index_t size)
      : pixels(static_cast<std::size_t>(size) * 784), labels(static_cast<std::size_t>(size)) {
    ridgepoint::random_stream random(1);
    for (float& v : pixels) v = static_cast<float>(random.uniform());
    for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(10));
  }
  std::vector<float> pixels;
  std::vector<std::int32_t> labels;
};

/// Returns the loss of the first step on a batch of that size, by the definition: computed once for all
/// implementations under test.
[[nodiscard]] inline double mlp_loss_by_definition(ridgepoint::index_t size) {
  static std::map<ridgepoint::index_t, double> known;
  const auto [at, first] = known.try_emplace(size);
  if (first) {
    const mlp_batch batch(size);
    at->second = mlp_trainer(ridgepoint::reference, size).step(batch.pixels, batch.labels);
  }
  return at->second;
}

/// Training steps of the perceptron on one fixed batch, from the words "mlp f32 128".
template <class Backend>
class mlp_problem {
 public:
  /// Throws: not_available for other words.
  mlp_problem(const Backend& on, const words& w) : batch_(size(w)), trainer_(mlp_trainer(on, size(w))) {}
  void step() {
    const double loss = trainer_.step(batch_.pixels, batch_.labels);
    if (!first_loss_) first_loss_ = loss;
  }
  /// Throws: wrong_result unless the first loss is within 0.1 % of the definition's.
  void verify() const {
    const double expected = mlp_loss_by_definition(static_cast<ridgepoint::index_t>(batch_.labels.size()));
    if (!(std::abs(*first_loss_ - expected) <= 1e-3 * expected))
      throw wrong_result(ridgepoint::concat("the first loss is ", *first_loss_, "; must be ", expected));
  }

 private:
  static ridgepoint::index_t size(const words& w) {
    if (w.size() != 3 || w[0] != "mlp" || w[1] != "f32") throw not_available("not a perceptron in f32");
    return std::stol(w[2]);
  }
  mlp_batch batch_;
  decltype(mlp_trainer(std::declval<const Backend&>(), 1)) trainer_;
  std::optional<double> first_loss_;
};

template <class Backend>
task mlp_task(const Backend& on, const words& w) {
  const auto p = std::make_shared<mlp_problem<Backend>>(on, w);
  return {.work = 1, .run = [p] { p->step(); }, .verify = [p] { p->verify(); }, .detail = "training step"};
}

}  // namespace peer
