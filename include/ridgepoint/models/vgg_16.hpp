// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/imagenet.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Momentum 0.9 for VGG-16: a learning rate of 0.01, which a network without batch normalisation bears.
struct vgg_16_momentum : nn::momentum {
  constexpr vgg_16_momentum() noexcept : nn::momentum{.learning_rate = 0.01} {}
};

/// VGG-16: thirteen 3×3 SAME of 64 to 512 filters with ReLU in five stages, each with max-pool 2 at its end, dense 4096
/// twice with ReLU and dropout 0.5, 1000 logits; 138,357,544 parameters. Weights decay by 5e-4.
///
/// Per sample 30,940,528,640 matrix FLOP forward, 92,648,177,664 in training (the first layer has no backward-data).
struct vgg_16 : imagenet_model {
  static constexpr std::string_view name = "vgg-16";
  static constexpr int epochs = 74;
  using optimiser = vgg_16_momentum;

  [[nodiscard]] static std::vector<parameter_group> groups() { return {{.names = "*.w", .weight_decay = 5e-4}}; }

  static node build(graph& net) {
    struct stage {
      index_t filters;
      int convolutions;
    };
    constexpr stage stages[] = {{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};
    node x = image(net);
    for (const stage& s : stages) {
      for (int i = 0; i < s.convolutions; ++i)
        x = x | nn::conv2d{.filters = s.filters, .kernel = 3, .padding = nn::same, .initial = nn::he_normal} |
            nn::relu{};
      x = x | nn::max_pool{};
    }
    x = x | nn::flatten{};
    for (int i = 0; i < 2; ++i)
      x = x | nn::dense{.units = 4096, .initial = nn::he_normal} | nn::relu{} | nn::dropout{.rate = 0.5F};
    return x | nn::dense{.units = classes};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
