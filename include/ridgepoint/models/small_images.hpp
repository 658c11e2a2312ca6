// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/residual.hpp>
#include <ridgepoint/models/study_data.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// RMSProp of study D's CIFAR-10 network: learning rate 1e-4 / (1 + 1e-6·step), ρ 0.9, ε 1e-8.
struct cifar10_rmsprop : nn::rmsprop_keras {
  constexpr cifar10_rmsprop() noexcept
      : nn::rmsprop_keras{.learning_rate = 1e-4,
                          .options = {.rho = 0.9, .epsilon = 1e-8},
                          .schedule = nn::inverse_time_decay{.decay = 1e-6}} {}
};

/// The CIFAR-10 network of study D, Keras' example cifar10_cnn: for 32 and 64 filters 3×3 SAME and 3×3 VALID, both with
/// ReLU, max-pool 2, dropout 0.25; then dense 512 with ReLU, dropout 0.5, 10 logits; 1,250,858 parameters.
///
/// Images are pixels / 255, shifted by up to a tenth and mirrored at random (data/image_datasets.hpp).
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

/// Adam of study C: learning rate 1e-4, ε 1e-8.
struct embryo_adam : nn::adam {
  constexpr embryo_adam() noexcept : nn::adam{.learning_rate = 1e-4, .options = {.epsilon = 1e-8}} {}
};

/// Study C's network, which counts the cells of mouse embryos: 5×5 SAME 32 and 64, each with ReLU and max-pool 2, dense
/// 1024 with ReLU, dropout 0.5, 4 logits; 16,834,436 parameters.
///
/// Weights are initialised from a truncated normal of deviation 0.1, biases to 0.1. An epoch of the study is 100 steps.
/// Per sample 144,973,824 matrix FLOP forward, 428,367,872 in training (the first layer has no backward-data).
struct embryo_cnn {
  static constexpr std::string_view name = "embryo-cnn";
  static constexpr index_t batch = 480;
  static constexpr int epochs = 20;
  static constexpr study_images images{.from = study_images::set::embryos};
  using loss = nn::softmax_cross_entropy;
  using optimiser = embryo_adam;

  static node build(graph& net) {
    node x = net.input({64, 64, 1});
    for (const index_t filters : {32, 64})
      x = x |
          nn::conv2d{.filters = filters, .kernel = 5, .padding = nn::same, .initial = weight, .initial_bias = bias} |
          nn::relu{} | nn::max_pool{.padding = nn::same};
    return x | nn::flatten{} | nn::dense{.units = 1024, .initial = weight, .initial_bias = bias} | nn::relu{} |
           nn::dropout{.rate = 0.5F} | nn::dense{.units = 4, .initial = weight, .initial_bias = bias};
  }

 private:
  static double weight(random_stream& random, fan) { return nn::truncated_normal(random, 0.1); }
  static double bias(random_stream&, fan) { return 0.1; }
};

/// Momentum 0.9, the paper's for CIFAR-10: learning rate 0.1, divided by ten at step 32,000 and at step 48,000.
struct resnet_18_momentum : nn::momentum {
  constexpr resnet_18_momentum() noexcept
      : nn::momentum{.learning_rate = 0.1, .schedule = nn::piecewise_decay{.boundaries = {32'000, 48'000}}} {}
};

/// ResNet-18 (He et al. 2015, "Deep Residual Learning for Image Recognition") for CIFAR-10 images, as commonly
/// benchmarked: the paper's ImageNet blocks after a stem for 32 × 32 pixels, 3×3 of 64 filters with stride 1 instead
/// of 7×7 with stride 2 and a max pooling; 11,173,962 parameters and 9,600 moving statistics.
///
/// Four groups of two basic blocks, of 64, 128, 256 and 512 channels, see residual. Except in the first group, the
/// first block has stride 2, and a 1×1 projection as shortcut. Global average, 10 logits. Optimiser, rates and batch
/// are the paper's for CIFAR-10, 64,000 steps of 128 images, with a weight decay of 1e-4. Differences: no decay of
/// biases and batch normalisation, each image is standardised, and there is no augmentation.
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

/// Momentum 0.9 of study B: learning rate 0.1, divided by ten at steps 40,000, 60,000 and 80,000.
struct resnet_32_momentum : nn::momentum {
  constexpr resnet_32_momentum() noexcept
      : nn::momentum{.learning_rate = 0.1, .schedule = nn::piecewise_decay{.boundaries = {40'000, 60'000, 80'000}}} {}
};

/// The residual network of study B for CIFAR-10: 3×3 of 16, then three groups of five units of 16, 32 and 64 channels,
/// global average, 10 logits; 464,154 parameters and 2,272 moving statistics.
///
/// A unit is two times batch normalisation (ε 1e-3, decay 0.9), leaky ReLU (0.1), 3×3 SAME without bias; its input is
/// added.
/// The first unit of the network adds its input after the first activation. If channels double, the first convolution
/// has stride 2, and the added input is averaged over 2×2 and padded with equally many zero channels on both sides.
/// Convolutions and the dense layer have a weight decay of 2e-4: see groups(). Each image is standardised.
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
  enum class joins { input, activated };  // the value that a unit adds to its output

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
