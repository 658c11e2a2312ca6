// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// RMSProp as Keras had it in 2017: learning rate 1e-3, ρ 0.9, ε 1e-8.
struct keras_2017_rmsprop : nn::rmsprop_keras {
  constexpr keras_2017_rmsprop() noexcept : nn::rmsprop_keras{.options = {.rho = 0.9, .epsilon = 1e-8}} {}
};

/// The MNIST multi-layer perceptron of study D, Keras' example mnist_mlp: 784 → 2 × (512, ReLU, dropout 0.2) → 10
/// logits; 669,706 parameters.
///
/// Per sample 1,337,344 matrix FLOP forward, 3,209,216 in training (the first layer has no backward-data).
struct keras_mnist_mlp {
  static constexpr std::string_view name = "keras-mnist-mlp";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 20;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = keras_2017_rmsprop;

  static node build(graph& net) {
    node x = net.input({28, 28, 1}) | nn::flatten{};
    for (int hidden = 0; hidden < 2; ++hidden) x = x | nn::dense{.units = 512} | nn::relu{} | nn::dropout{.rate = 0.2F};
    return x | nn::dense{.units = 10};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
