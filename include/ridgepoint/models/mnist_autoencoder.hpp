// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// The MNIST autoencoder of study A: dense layers 1 → 32 → 64 on every pixel alone, 50,176 → 16 → 50,176 on the whole
/// image, then 64 → 32 → 64 → 1 on every pixel; all with ReLU but for the two on the whole. 1,662,257 parameters.
///
/// It learns to give back the image it is given: mean squared error against its own input.
/// Per sample 12,995,584 matrix FLOP forward, 38,936,576 in training (the first layer has no backward-data).
struct mnist_autoencoder {
  static constexpr std::string_view name = "mnist-autoencoder";
  static constexpr index_t batch = 32;
  static constexpr int epochs = 1;
  static constexpr study_images images{.from = study_images::set::digits, .made = study_images::change::own_targets};
  using loss = nn::mse;
  using optimiser = nn::adam;  // 1e-3, 0.9, 0.999, 1e-7: its defaults

  static node build(graph& net) {
    constexpr index_t pixels = 28 * 28;
    node x = net.input({28, 28, 1}) | nn::reshape{{pixels, 1}};
    for (const index_t channels : {32, 64}) x = x | nn::dense{.units = channels} | nn::relu{};
    x = x | nn::flatten{} | nn::dense{.units = 16} | nn::dense{.units = pixels * 64} | nn::reshape{{pixels, 64}};
    for (const index_t channels : {32, 64, 1}) x = x | nn::dense{.units = channels} | nn::relu{};
    return x | nn::reshape{{28, 28, 1}};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
