// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Momentum 0.9 with a learning rate of 0.1, for batches of 256.
struct imagenet_momentum : nn::momentum {
  constexpr imagenet_momentum() noexcept : nn::momentum{.learning_rate = 0.1} {}
};

/// What the networks for ImageNet have in common: images of 224 × 224 pixels, 1000 classes, and, where they do not say
/// otherwise, how they are learnt: from smaller images enlarged, for there are no others here; weights, but not biases
/// and batch normalisation, decay by 1e-4.
struct imagenet_model {
  static constexpr index_t batch = 256;
  static constexpr int epochs = 90;
  static constexpr study_images images{.from = study_images::set::cifar10, .made = study_images::change::enlarged};
  using loss = nn::softmax_cross_entropy;
  using optimiser = imagenet_momentum;

  [[nodiscard]] static std::vector<parameter_group> groups() { return {{.names = "*.w", .weight_decay = 1e-4}}; }

 protected:
  static constexpr index_t pixels = 224, classes = 1000;
  static node image(graph& net) { return net.input({pixels, pixels, 3}); }
  static node normalised(const node& x) { return x | nn::batch_norm{.epsilon = 1e-5, .momentum = 0.9} | nn::relu{}; }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
