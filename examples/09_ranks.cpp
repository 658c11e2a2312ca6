// SPDX-License-Identifier: MIT
// Several ranks train one network together: here two threads; with rp::mpi_communicator, the processes of mpirun.
#include <cmath>
#include <iostream>
#include <vector>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/distributed/distributed.hpp>
#include <ridgepoint/distributed/thread_ranks.hpp>
#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/trainer.hpp>

namespace rp = ridgepoint;
namespace nn = ridgepoint::nn;

/// Trains a network to tell if a number is nearer to 0 than to ±1; returns the last loss.
double learn(const rp::any_communicator& ranks) {
  rp::graph net("near");
  const rp::node logits = net.input({1}) | nn::dense{.units = 16} | nn::tanh{} | nn::dense{.units = 2};
  const auto on = rp::distributed(rp::cpu(1), ranks);
  auto trainer = net.train<float>(on, logits, nn::softmax_cross_entropy{}, nn::adam{.learning_rate = 0.05},
                                  {.batch = 16, .seed = 42, .micro_batches = 4});  // a step takes 64 samples
  std::vector<float> x;
  std::vector<std::int32_t> near;
  for (int i = 0; i < 64; ++i) {
    x.push_back(static_cast<float>(i) / 32 - 1);
    near.push_back(std::abs(x.back()) < 0.5F ? 1 : 0);
  }
  double loss = 0;
  for (int step = 0; step < 200; ++step) loss = trainer.step(x, near);
  return loss;
}

int main() {
  const double alone = learn(rp::self_communicator());
  rp::run_ranks(2, [&](rp::thread_communicator& ranks) {
    const double together = learn(ranks);
    if (ranks.rank() == 0)
      std::cout << "after 200 steps the loss is " << (alone < 0.1 ? "below" : "above") << " 0.1; "
                << (together == alone ? "two ranks have" : "two ranks do not have") << " the same bits\n";
  });
}

// Prints:
//   after 200 steps the loss is below 0.1; two ranks have the same bits
