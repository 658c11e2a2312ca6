// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// The MNIST convolutional network of study A: 3 × (3×3 SAME, 64, ReLU, max-pool 2), 3×3 VALID, 64, ReLU, dropout 0.2,
/// 10 logits; 112,074 parameters.
///
/// Per sample 19,041,536 matrix FLOP forward, 56,221,440 in training (the first layer has no backward-data).
struct mnist_cnn {
  static constexpr std::string_view name = "mnist-cnn";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 10;
  static constexpr study_images images{.from = study_images::set::digits};
  using loss = nn::softmax_cross_entropy;
  using optimiser = nn::adam;  // 1e-3, 0.9, 0.999, 1e-7: its defaults

  static node build(graph& net) {
    node x = net.input({28, 28, 1});
    for (int stage = 0; stage < 3; ++stage)
      x = x | nn::conv2d{.filters = 64, .kernel = 3, .padding = nn::same} | nn::relu{} | nn::max_pool{};
    return x | nn::conv2d{.filters = 64, .kernel = 3} | nn::relu{} | nn::flatten{} | nn::dropout{.rate = 0.2F} |
           nn::dense{.units = 10};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
