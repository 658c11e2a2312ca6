// SPDX-License-Identifier: MIT
// Training on your own values: fit(x, y), validation and early stopping, predict(), and a session for inference.
#include <cmath>
#include <iostream>
#include <vector>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/dataset.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

/// Samples of sin(3 x) on [-1, 1].
struct samples {
  std::vector<float> x, y;
  samples(int count, std::uint64_t seed) {
    rp::random_stream random(seed, 0);
    for (int i = 0; i < count; ++i) {
      x.push_back(static_cast<float>(random.uniform(-1, 1)));
      y.push_back(std::sin(3 * x.back()));
    }
  }
};

int main() {
  rp::graph net("sine");
  const rp::node y = net.input({1}) | nn::dense{.units = 32} | nn::tanh{} | nn::dense{.units = 1};
  auto trainer = net.train<float>(rp::cpu(1), y, nn::mse{}, nn::adam{.learning_rate = 0.01}, {.batch = 32, .seed = 42});

  const samples training(1024, 1), others(256, 2);
  const rp::memory_dataset held_out(others.x, others.y, {1}, {1});
  const rp::history h =
      trainer.fit(training.x, training.y, {.epochs = 40, .validation = &held_out, .patience = 5, .keep_best = true});
  const double best = h.validation_loss[static_cast<std::size_t>(h.best_epoch) - 1];
  std::cout << "best validation loss " << best << ", in epoch " << h.best_epoch << '\n';

  const float x[] = {-0.5F, 0, 0.5F};
  const rp::tensor<float> answers = trainer.predict(x);  // any number of samples
  for (rp::index_t i = 0; i < 3; ++i)
    std::cout << "sin(3 · " << x[i] << ") is about " << std::round(10 * answers[i]) / 10 + 0.0F << '\n';

  const auto session = trainer.session({.batch = 1});  // independent of the trainer
  float one = 0;
  session.run(std::span(x).first(1), std::span(&one, 1));
  std::cout << "a session says " << one << '\n';
  return best < 0.01 && std::abs(one - answers[0]) < 1e-5F ? 0 : 1;
}

// Prints:
//   best validation loss 0.00171238, in epoch 40
//   sin(3 · -0.5) is about -1
//   sin(3 · 0) is about 0
//   sin(3 · 0.5) is about 1
//   a session says -0.959667
