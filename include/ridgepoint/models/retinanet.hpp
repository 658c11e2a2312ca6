// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <vector>

#include <ridgepoint/models/imagenet.hpp>
#include <ridgepoint/models/paradnn_cnn.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Momentum 0.9 with a learning rate of 0.01, for batches of 16.
struct retinanet_momentum : nn::momentum {
  constexpr retinanet_momentum() noexcept : nn::momentum{.learning_rate = 0.01} {}
};

/// Of 91 classes.
struct retinanet_loss : nn::detection {
  constexpr retinanet_loss() noexcept : nn::detection{.classes = 91} {}
};

/// RetinaNet on ResNet-50 and a feature pyramid, as torchvision has it: 91 classes, 9 anchors at each place of five
/// maps; 34,014,999 parameters but for those of batch normalisation, 53,120, which torchvision keeps as they are.
///
/// Trunk: ResNet-50 v1.5 up to its last group. Pyramid: the maps of the last three groups through 1×1 to 256 channels,
/// each with the next smaller one repeated to its size and added, then 3×3; two smaller ones by 3×3 /2, with ReLU
/// between. Heads, the same for every map: four times 3×3 of 256 with ReLU, then 3×3 to 9·91 logits and to 9·4 numbers
/// of boxes. Convolutions but for the trunk's have a bias; that of the logits begins at −ln 99, where each is 1 %.
///
/// The output is what nn::detection judges: the logits of all maps, the largest first, row by row, then the boxes.
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
    return {{{"pixels", [](retinanet& m, index_t value) { m.pixels = value; }}}};
  }
  [[nodiscard]] static std::vector<parameter_group> groups() { return {{.names = "*.w", .weight_decay = 1e-4}}; }

  /// Throws: value_error unless the image is of a positive multiple of 32 pixels.
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

  /// The maps of 256 channels, the largest first.
  static std::vector<node> pyramid(const std::array<node, 4>& groups) {
    std::vector<node> maps;
    node above;
    for (const std::size_t g : {3U, 2U, 1U}) {
      const node beside = groups[g] | convolution(256, 1);
      above = maps.empty() ? beside : add(beside, above | nn::upsample{});
      maps.insert(maps.begin(), above | convolution(256, 3));
    }
    maps.push_back(maps.back() | convolution(256, 3, 2));
    maps.push_back(maps.back() | nn::relu{} | convolution(256, 3, 2));
    return maps;
  }
  /// What five layers make of every map, one behind the other.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
