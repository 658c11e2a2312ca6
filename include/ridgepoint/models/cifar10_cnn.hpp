// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// RMSProp as study D's CIFAR-10 network has it: learning rate 1e-4 / (1 + 1e-6·step), ρ 0.9, ε 1e-8.
struct cifar10_rmsprop : nn::rmsprop_keras {
  constexpr cifar10_rmsprop() noexcept
      : nn::rmsprop_keras{.learning_rate = 1e-4,
                          .options = {.rho = 0.9, .epsilon = 1e-8},
                          .schedule = nn::inverse_time_decay{.decay = 1e-6}} {}
};

/// The CIFAR-10 network of study D, Keras' example cifar10_cnn: for 32 and 64 filters 3×3 SAME and 3×3 VALID, both with
/// ReLU, max-pool 2, dropout 0.25; then dense 512 with ReLU, dropout 0.5, 10 logits; 1,250,858 parameters.
///
/// Its images are pixels / 255, shifted by up to a tenth and mirrored at random (data/augmented_images.hpp).
/// Per sample 41,482,240 matrix FLOP forward, 122,677,248 in training (the first layer has no backward-data).
struct cifar10_cnn {
  static constexpr std::string_view name = "cifar10-cnn";
  static constexpr index_t batch = 32;
  static constexpr int epochs = 20;
  static constexpr study_images images{.from = study_images::set::cifar10,
                                       .made = study_images::change::training_moved};
  using loss = nn::softmax_cross_entropy;
  using optimiser = cifar10_rmsprop;

  static node build(graph& net) {
    node x = net.input({32, 32, 3});
    for (const index_t filters : {32, 64})
      x = x | nn::conv2d{.filters = filters, .kernel = 3, .padding = nn::same} | nn::relu{} |
          nn::conv2d{.filters = filters, .kernel = 3} | nn::relu{} | nn::max_pool{} | nn::dropout{.rate = 0.25F};
    return x | nn::flatten{} | nn::dense{.units = 512} | nn::relu{} | nn::dropout{.rate = 0.5F} |
           nn::dense{.units = 10};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
