// SPDX-License-Identifier: MIT
// expect: train: the first argument must be a backend
#include <ridgepoint/graph/layers/dense.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/reference/all.hpp>

namespace rp = ridgepoint;

int main() {
  rp::graph net("net");
  const rp::node y = net.input({4}) | rp::nn::dense{.units = 2};
#ifdef FIXED
  auto training_core = net.train<float>(rp::reference, y, rp::nn::mse{}, rp::nn::sgd{}, {.batch = 2});
#else
  auto training_core = net.train<float>(y, rp::nn::mse{}, rp::nn::sgd{}, {.batch = 2});
#endif
  static_cast<void>(training_core);
}
