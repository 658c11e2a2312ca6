// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Adadelta as Keras had it in 2017: learning rate 1, ρ 0.95, ε 1e-8.
struct keras_2017_adadelta : nn::adadelta {
  constexpr keras_2017_adadelta() noexcept : nn::adadelta{.options = {.epsilon = 1e-8}} {}
};

/// The MNIST convolutional network of study D, Keras' example mnist_cnn: 3×3 VALID 32, 3×3 VALID 64, both with ReLU,
/// max-pool 2, dropout 0.25, dense 128 with ReLU, dropout 0.5, 10 logits; 1,199,882 parameters.
///
/// Per sample 23,984,896 matrix FLOP forward, 71,565,312 in training (the first layer has no backward-data).
struct keras_mnist_cnn {
  static constexpr std::string_view name = "keras-mnist-cnn";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 12;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = keras_2017_adadelta;

  static node build(graph& net) {
    node x = net.input({28, 28, 1});
    for (const index_t filters : {32, 64}) x = x | nn::conv2d{.filters = filters, .kernel = 3} | nn::relu{};
    x = x | nn::max_pool{} | nn::dropout{.rate = 0.25F} | nn::flatten{};
    return x | nn::dense{.units = 128} | nn::relu{} | nn::dropout{.rate = 0.5F} | nn::dense{.units = 10};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
