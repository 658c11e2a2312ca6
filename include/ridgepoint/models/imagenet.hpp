// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/paradnn.hpp>
#include <ridgepoint/models/study_data.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Momentum 0.9 with a learning rate of 0.1, for batches of 256.
struct imagenet_momentum : nn::momentum {
  constexpr imagenet_momentum() noexcept : nn::momentum{.learning_rate = 0.1} {}
};

/// Common properties of the ImageNet networks: images of 224 × 224 pixels, 1000 classes, and the default training:
/// on smaller images, enlarged, because larger ones are not available here; weight decay of 1e-4, except for biases and
/// batch normalisation.
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

/// DenseNet-121: 7×7 /2 of 64, max-pool 3×3 /2, dense blocks of 6, 12, 24 and 16 layers, global average, 1000 logits;
/// 7,978,856 parameters and 83,648 moving statistics.
///
/// A layer of a block is 1×1 of 128 and 3×3 of 32 filters, each after batch normalisation and ReLU; its channels are
/// appended to its input. Between blocks a transition, with the same two first, halves the channels by 1×1, and the
/// pixels by an average of 2×2. Convolutions have no bias.
/// Per sample 5,668,323,328 matrix FLOP forward, 16,768,942,080 in training (the first layer has no backward-data).
struct densenet_121 : imagenet_model {
  static constexpr std::string_view name = "densenet-121";

  static node build(graph& net) {
    node x = normalised(image(net) | convolution(64, 7, 2)) |
             nn::max_pool{.window = 3, .stride = 2, .padding = padding2d{1, 1, 1, 1}};
    x = transition(block(x, 6));
    x = transition(block(x, 12));
    x = transition(block(x, 24));
    return normalised(block(x, 16)) | nn::global_avg_pool{} | nn::dense{.units = classes};
  }

 private:
  static nn::conv2d convolution(index_t filters, index_t kernel, index_t stride = 1) {
    const index_t side = kernel / 2;
    return {.filters = filters,
            .kernel = kernel,
            .stride = stride,
            .padding = padding2d{side, side, side, side},
            .bias = false,
            .initial = nn::he_normal};
  }
  static node block(node x, int layers) {
    for (int i = 0; i < layers; ++i)
      x = concat_channels(x, normalised(normalised(x) | convolution(128, 1)) | convolution(32, 3));
    return x;
  }
  static node transition(const node& x) { return normalised(x) | convolution(x.extents()[2] / 2, 1) | nn::avg_pool{}; }
};

/// MobileNet v1 of width 1: 3×3 /2 of 32, thirteen times depthwise 3×3 and 1×1, each with batch normalisation and ReLU,
/// global average, 1000 logits; 4,231,976 parameters and 21,888 moving statistics.
///
/// Per sample 1,137,480,704 matrix FLOP forward, 3,390,766,080 in training (the first layer has no backward-data).
struct mobilenet_v1 : imagenet_model {
  static constexpr std::string_view name = "mobilenet-v1";

  static node build(graph& net) {
    struct separable {
      index_t filters, stride;
    };
    constexpr separable convolutions[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                                          {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
    node x = normalised(image(net) |
                        nn::conv2d{.filters = 32, .kernel = 3, .stride = 2, .padding = nn::same, .bias = false});
    for (const separable& s : convolutions) {
      x = normalised(x | nn::depthwise_conv2d{.kernel = 3, .stride = s.stride, .padding = nn::same, .bias = false});
      x = normalised(x | nn::conv2d{.filters = s.filters, .kernel = 1, .bias = false});
    }
    return x | nn::global_avg_pool{} | nn::dense{.units = classes};
  }
};

/// ResNet-50 v1.5, with the strides on the 3×3 convolutions: ParaDnn's network by default, trained like the other
/// ImageNet networks; 25,557,032 parameters and 53,120 moving statistics.
///
/// Per sample 8,178,368,512 matrix FLOP forward, 24,299,077,632 in training (the first layer has no backward-data).
struct resnet_50 : imagenet_model {
  static constexpr std::string_view name = "resnet-50";

  static node build(graph& net) { return paradnn_cnn{}.build(net); }
};

/// Momentum 0.9 with a learning rate of 0.01, for batches of 16.
struct retinanet_momentum : nn::momentum {
  constexpr retinanet_momentum() noexcept : nn::momentum{.learning_rate = 0.01} {}
};

/// Detection loss with 91 classes.
struct retinanet_loss : nn::detection {
  constexpr retinanet_loss() noexcept : nn::detection{.classes = 91} {}
};

/// RetinaNet on ResNet-50 and a feature pyramid, as in torchvision: 91 classes, 9 anchors at each position of five
/// maps; 34,014,999 parameters excluding 53,120 of batch normalisation, which torchvision freezes.
///
/// Trunk: ResNet-50 v1.5 up to its last group. Pyramid: the maps of the last three groups through 1×1 to 256 channels,
/// each with the next smaller one, upsampled by repetition, added, then 3×3; two smaller maps by 3×3 /2, with ReLU
/// between. Heads, shared by all maps: four times 3×3 of 256 with ReLU, then 3×3 to 9·91 logits and to 9·4 numbers
/// of boxes. Convolutions outside the trunk have a bias; the logits' bias starts at −ln 99, a probability of 1 %.
///
/// The output has the layout of nn::detection: the logits of all maps, the largest first, row by row, then the boxes.
/// Per sample of 800 pixels 151,540,437,248 multiply-adds forward, of 224 11,901,941,504.
/// Example: rp::models::retinanet{.pixels = 800}.build(net)
struct retinanet {
  static constexpr std::string_view name = "retinanet";
  static constexpr index_t batch = 16;
  static constexpr int epochs = 26;
  static constexpr index_t classes = 91, anchors = 9;
  static constexpr study_images images{.from = study_images::set::cifar10, .made = study_images::change::placed};
  using loss = retinanet_loss;
  using optimiser = retinanet_momentum;

  index_t pixels = 224;  // a multiple of 32

  static constexpr std::array<model_parameter<retinanet>, 1> parameters() noexcept {
    return {{model_parameter<retinanet>::of<&retinanet::pixels>("pixels")}};
  }
  [[nodiscard]] static std::vector<parameter_group> groups() { return {{.names = "*.w", .weight_decay = 1e-4}}; }

  /// Throws: value_error unless the side of the image is a positive multiple of 32 pixels.
  node build(graph& net) const {
    require<value_error>(pixels > 0 && pixels % 32 == 0, "retinanet: pixels is ", pixels,
                         "; must be a positive multiple of 32");
    const std::array<node, 4> groups = paradnn_cnn{.pixels = pixels}.groups(net);
    const std::vector<node> maps = pyramid(groups);
    const shared_layer to_classes[] = {wide(), wide(), wide(), wide(),
                                       shared(convolution(anchors * classes, 3, 1, one_percent))};
    const shared_layer to_boxes[] = {wide(), wide(), wide(), wide(), shared(convolution(anchors * 4, 3))};
    return concat_channels(head(maps, to_classes), head(maps, to_boxes));
  }

 private:
  static double normal_weights(random_stream& random, fan) { return nn::normal(random, 0.01); }
  static double one_percent(random_stream&, fan) { return -std::log(99.0); }
  static nn::conv2d convolution(index_t filters, index_t kernel, index_t stride = 1, initialiser bias = nn::zeros) {
    const index_t side = (kernel - 1) / 2;
    return {.filters = filters,
            .kernel = kernel,
            .stride = stride,
            .padding = padding2d{side, side, side, side},
            .initial = normal_weights,
            .initial_bias = bias};
  }
  static shared_layer wide() { return shared(convolution(256, 3)); }

  /// Returns the maps of 256 channels, the largest first.
  static std::vector<node> pyramid(const std::array<node, 4>& groups) {
    std::vector<node> maps;
    node above;
    for (const std::size_t g : {3U, 2U, 1U}) {
      const node lateral = groups[g] | convolution(256, 1);
      above = maps.empty() ? lateral : add(lateral, above | nn::upsample{});
      maps.insert(maps.begin(), above | convolution(256, 3));
    }
    maps.push_back(maps.back() | convolution(256, 3, 2));
    maps.push_back(maps.back() | nn::relu{} | convolution(256, 3, 2));
    return maps;
  }
  /// Applies five layers to every map and concatenates the results.
  static node head(const std::vector<node>& maps, std::span<const shared_layer> layers) {
    node all;
    for (const node& map : maps) {
      node x = map;
      for (const shared_layer& each : layers.first(4)) x = x | each | nn::relu{};
      x = x | layers.back() | nn::flatten{};
      all = &map == maps.data() ? x : concat_channels(all, x);
    }
    return all;
  }
};

/// Momentum 0.9 for SqueezeNet: a learning rate of 0.03, for batches of 1024.
struct squeezenet_momentum : nn::momentum {
  constexpr squeezenet_momentum() noexcept : nn::momentum{.learning_rate = 0.03} {}
};

/// SqueezeNet 1.0: 7×7 /2 VALID of 96 with ReLU, eight fire modules, dropout 0.5, 1×1 of 1000 with ReLU, global
/// average; 1,248,424 parameters. Weights decay by 2e-4.
///
/// A fire module squeezes its input by 1×1 with ReLU and expands that by 1×1 and by 3×3 SAME with ReLU; the channels of
/// both are concatenated. Max-pools 3×3 /2 round up: before the first and the last fire module the size divides evenly;
/// before the fourth, of 54 pixels, SAME pads the missing one.
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

/// Momentum 0.9 for VGG-16: a learning rate of 0.01, low enough for a network without batch normalisation.
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
