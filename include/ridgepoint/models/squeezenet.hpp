// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/imagenet.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Momentum 0.9 for SqueezeNet: a learning rate of 0.03, for batches of 1024.
struct squeezenet_momentum : nn::momentum {
  constexpr squeezenet_momentum() noexcept : nn::momentum{.learning_rate = 0.03} {}
};

/// SqueezeNet 1.0: 7×7 /2 VALID of 96 with ReLU, eight fire modules, dropout 0.5, 1×1 of 1000 with ReLU, global
/// average; 1,248,424 parameters. Weights decay by 2e-4.
///
/// A fire module squeezes its input by 1×1 with ReLU and expands that by 1×1 and by 3×3 SAME with ReLU, the channels of
/// the one behind those of the other. Max-pools 3×3 /2 round up what remains: before the first fire module and the last
/// one nothing does, and before the fourth, of 54 pixels, SAME pads the one that is missing.
/// Per sample 1,637,849,152 matrix FLOP forward, 4,578,218,112 in training (the first layer has no backward-data).
struct squeezenet : imagenet_model {
  static constexpr std::string_view name = "squeezenet";
  static constexpr index_t batch = 1024;
  using optimiser = squeezenet_momentum;

  [[nodiscard]] static std::vector<parameter_group> groups() { return {{.names = "*.w", .weight_decay = 2e-4}}; }

  static node build(graph& net) {
    node x = image(net) | nn::conv2d{.filters = 96, .kernel = 7, .stride = 2, .initial = nn::he_normal} | nn::relu{} |
             nn::max_pool{.window = 3, .stride = 2};
    for (const index_t squeezed : {16, 16, 32}) x = fire(x, squeezed);
    x = x | nn::max_pool{.window = 3, .stride = 2, .padding = nn::same};
    for (const index_t squeezed : {32, 48, 48, 64}) x = fire(x, squeezed);
    x = fire(x | nn::max_pool{.window = 3, .stride = 2}, 64) | nn::dropout{.rate = 0.5F};
    return x | nn::conv2d{.filters = classes, .kernel = 1} | nn::relu{} | nn::global_avg_pool{};
  }

 private:
  static nn::conv2d convolution(index_t filters, index_t kernel) {
    return {.filters = filters, .kernel = kernel, .padding = nn::same, .initial = nn::he_normal};
  }
  static node fire(const node& x, index_t squeezed) {
    const node s = x | convolution(squeezed, 1) | nn::relu{};
    return concat_channels(s | convolution(4 * squeezed, 1) | nn::relu{},
                           s | convolution(4 * squeezed, 3) | nn::relu{});
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
