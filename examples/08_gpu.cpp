// SPDX-License-Identifier: MIT
// A GPU: the backend is one word of a program. Without a GPU this one trains on the CPU.
#include <cmath>
#include <iostream>
#include <vector>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cuda/cuda.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

/// Trains a network to tell if a number is nearer to 0 than to ±1.
template <class Backend>
void learn(const Backend& on) {
  rp::graph net("near");
  const rp::node logits = net.input({1}) | nn::dense{.units = 16} | nn::tanh{} | nn::dense{.units = 2};
  auto trainer = net.train<float>(on, logits, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.05},
                                  {.batch = 64, .seed = 42});
  std::vector<float> x(64);
  std::vector<std::int32_t> near(64);
  for (int i = 0; i < 64; ++i) {
    x[static_cast<std::size_t>(i)] = static_cast<float>(i) / 32 - 1;
    near[static_cast<std::size_t>(i)] = std::abs(x[static_cast<std::size_t>(i)]) < 0.5F ? 1 : 0;
  }
  double loss = 0;
  for (int step = 0; step < 200; ++step) loss = trainer.step(x, near);
  std::cout << "after 200 steps the loss is " << (loss < 0.1 ? "below" : "above") << " 0.1\n";
}

int main() {
  if (rp::gpu_count() > 0) learn(rp::cuda());
  else learn(rp::cpu(1));
}

// Prints:
//   after 200 steps the loss is below 0.1
