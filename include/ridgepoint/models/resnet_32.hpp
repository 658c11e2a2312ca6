// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Momentum 0.9 as study B has it: learning rate 0.1, a tenth of it from step 40,000, 60,000 and 80,000 each.
struct resnet_32_momentum : nn::momentum {
  constexpr resnet_32_momentum() noexcept
      : nn::momentum{.learning_rate = 0.1, .schedule = nn::piecewise_decay{.boundaries = {40'000, 60'000, 80'000}}} {}
};

/// The residual network of study B for CIFAR-10: 3×3 of 16, then three groups of five units of 16, 32 and 64 channels,
/// global average, 10 logits; 464,154 parameters and 2,272 moving statistics.
///
/// A unit is twice batch normalisation (ε 1e-3, decay 0.9), leaky ReLU (0.1), 3×3 SAME without bias; its input is
/// added.
/// The first unit of all takes that after its first activation; where channels double, the first convolution has
/// stride 2, and what is added is averaged over 2×2 and gets as many channels of zeros on either side. Convolutions
/// and the dense layer have a weight decay of 2e-4: see groups(). Images are standardised each by itself.
/// Per sample 137,725,184 matrix FLOP forward, 412,290,816 in training (the first layer has no backward-data).
struct resnet_32 {
  static constexpr std::string_view name = "resnet-32";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 13;  // 5,000 steps
  static constexpr study_images images{.from = study_images::set::cifar10, .made = study_images::change::standardised};
  using loss = nn::softmax_cross_entropy;
  using optimiser = resnet_32_momentum;

  [[nodiscard]] static std::vector<parameter_group> groups() { return {{.names = "*.w", .weight_decay = 2e-4}}; }

  static node build(graph& net) {
    node x = net.input({32, 32, 3}) | convolution(16, 1);
    for (const index_t channels : {16, 32, 64})
      for (int number = 0; number < 5; ++number)
        x = unit(x, channels, channels == 16 && number == 0 ? joins::activated : joins::input);
    return activated(x) | nn::global_avg_pool{} | nn::dense{.units = 10, .initial = nn::unit_scaling_uniform};
  }

 private:
  enum class joins { input, activated };  // what a unit adds to its output

  static nn::conv2d convolution(index_t channels, index_t stride) {
    return {.filters = channels,
            .kernel = 3,
            .stride = stride,
            .padding = nn::same,
            .bias = false,
            .initial = nn::he_normal_out};
  }
  static node activated(const node& x) {
    return x | nn::batch_norm{.epsilon = 1e-3, .momentum = 0.9} | nn::leaky_relu{.slope = 0.1};
  }
  static node unit(const node& x, index_t channels, joins what) {
    const index_t more = channels - x.extents()[2], stride = more > 0 ? 2 : 1;
    const node a = activated(x);
    const node y = activated(a | convolution(channels, stride)) | convolution(channels, 1);
    if (what == joins::activated) return add(y, a);
    return add(y, more == 0 ? x : x | nn::avg_pool{} | nn::pad_channels{.before = more / 2, .after = more / 2});
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
