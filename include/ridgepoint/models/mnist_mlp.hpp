// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// The MNIST multi-layer perceptron of study A: 784 → 4 × (512, ReLU, dropout 0.45) → 10 logits; 1,195,018 parameters.
///
/// Per sample 2,385,920 matrix FLOP forward, 6,354,944 in training (the first layer has no backward-data).
/// Example:
///   rp::graph net("mnist-mlp");
///   const rp::node logits = rp::models::mnist_mlp::build(net);
struct mnist_mlp {
  static constexpr std::string_view name = "mnist-mlp";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 5;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::adam;  // 1e-3, 0.9, 0.999, 1e-7: its defaults

  static node build(graph& net) {
    node x = net.input({28, 28, 1}) | nn::flatten{};
    for (int hidden = 0; hidden < 4; ++hidden)
      x = x | nn::dense{.units = 512} | nn::relu{} | nn::dropout{.rate = 0.45F};
    return x | nn::dense{.units = 10};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
