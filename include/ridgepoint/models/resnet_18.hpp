// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/residual.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Momentum 0.9 as the paper has it for CIFAR-10: learning rate 0.1, a tenth of it from step 32,000 and 48,000 each.
struct resnet_18_momentum : nn::momentum {
  constexpr resnet_18_momentum() noexcept
      : nn::momentum{.learning_rate = 0.1, .schedule = nn::piecewise_decay{.boundaries = {32'000, 48'000}}} {}
};

/// ResNet-18 (He et al. 2015, "Deep Residual Learning for Image Recognition") for images of CIFAR-10 as it is widely
/// measured: the paper's blocks for ImageNet behind a stem for 32 × 32 pixels, 3×3 of 64 filters with stride 1 in place
/// of 7×7 with stride 2 and a max pooling; 11,173,962 parameters and 9,600 moving statistics.
///
/// Four groups of two basic blocks, of 64, 128, 256 and 512 channels, see residual. But in the first group the first
/// block has stride 2, and a 1×1 projection as shortcut. Global average, 10 logits. Optimiser, rates and batch are
/// the paper's for CIFAR-10, 64,000 steps of 128 images, and weights decay by 1e-4; but not the bias and batch
/// normalisation, images are standardised each by itself, and nothing is augmented.
/// Per sample 1,110,845,440 matrix FLOP forward, 3,328,997,376 in training (the first layer has no backward-data).
struct resnet_18 {
  static constexpr std::string_view name = "resnet-18";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 164;
  static constexpr study_images images{.from = study_images::set::cifar10, .made = study_images::change::standardised};
  using loss = nn::softmax_cross_entropy;
  using optimiser = resnet_18_momentum;

  [[nodiscard]] static std::vector<parameter_group> groups() { return {{.names = "*.w", .weight_decay = 1e-4}}; }

  static node build(graph& net) {
    const residual parts;
    node x = parts.normalised(parts.convolution(net.input({32, 32, 3}), 64, 3, 1)) | nn::relu{};
    for (const index_t width : {64, 128, 256, 512}) {
      if (width > 64) x = parts.basic_block(x, parts.projection(x, width, 2), width, 2);
      else x = parts.basic_block(x, x, width, 1);
      x = parts.basic_block(x, x, width, 1);
    }
    return x | nn::global_avg_pool{} | nn::dense{.units = 10};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
