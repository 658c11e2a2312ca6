// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <ridgepoint/models/all.hpp>

/// Networks as tensorflow/tpu had them in 2018, which ParaDnn ran: models/official/densenet, squeezenet and retinanet;
/// RetinaNet as of commit 03c4c36c, one of several versions. They differ from the publications' networks in rp::models.
/// Their code stores activations in f32 and has no option of 16 bits.
namespace tool::tensorflow_tpu {

namespace nn = ridgepoint::nn;
using ridgepoint::concat_channels;
using ridgepoint::graph;
using ridgepoint::index_t;
using ridgepoint::node;
using ridgepoint::shared;

/// Classes of ImageNet, and one for the background.
inline constexpr index_t labels = 1001;

/// Returns a SAME convolution without bias.
[[nodiscard]] inline nn::conv2d convolution(index_t filters, index_t kernel, index_t stride = 1) {
  return {.filters = filters, .kernel = kernel, .stride = stride, .padding = nn::same, .bias = false};
}
[[nodiscard]] inline node normalised(const node& x) { return x | nn::batch_norm{.epsilon = 1e-5} | nn::relu{}; }

/// DenseNet-121 without bottlenecks (the default of the flag use_bottleneck): a layer is one 3×3 of 32 filters over all
/// channels so far; no last normalisation; 10,868,073 parameters.
struct densenet_121 : ridgepoint::models::imagenet_model {
  static constexpr std::string_view name = "densenet-121";

  static node build(graph& net) {
    node x =
        normalised(image(net) | convolution(64, 7, 2)) | nn::max_pool{.window = 3, .stride = 2, .padding = nn::same};
    for (const int layers : {6, 12, 24, 16}) {
      for (int i = 0; i < layers; ++i) x = concat_channels(x, normalised(x) | convolution(32, 3));
      if (layers != 16) x = normalised(x) | convolution(x.extents()[2] / 2, 1) | nn::avg_pool{};
    }
    return x | nn::global_avg_pool{} | nn::dense{.units = labels};
  }
};

/// SqueezeNet 1.0 with a SAME stem and VALID max-pools; 1,248,937 parameters.
struct squeezenet : ridgepoint::models::squeezenet {
  static node build(graph& net) {
    node x = image(net) | activated(96, 7, 2) | nn::relu{} | pool;
    for (const index_t squeezed : {16, 16, 32}) x = fire(x, squeezed);
    x = x | pool;
    for (const index_t squeezed : {32, 48, 48, 64}) x = fire(x, squeezed);
    x = fire(x | pool, 64) | nn::dropout{.rate = 0.5F};
    return x | activated(labels, 1) | nn::relu{} | nn::global_avg_pool{};
  }

 private:
  static constexpr nn::max_pool pool{.window = 3, .stride = 2};
  static nn::conv2d activated(index_t filters, index_t kernel, index_t stride = 1) {
    return {.filters = filters, .kernel = kernel, .stride = stride, .padding = nn::same};
  }
  static node fire(const node& x, index_t squeezed) {
    const node s = x | activated(squeezed, 1) | nn::relu{};
    return concat_channels(s | activated(4 * squeezed, 1) | nn::relu{}, s | activated(4 * squeezed, 3) | nn::relu{});
  }
};

/// Detection loss with 90 classes.
struct retinanet_loss : nn::detection {
  constexpr retinanet_loss() noexcept : nn::detection{.classes = 90} {}
};

/// RetinaNet for images of 640 pixels: 90 classes, 6 anchors (3 shapes of 2 sizes) at each position, no 3×3 after the
/// pyramid's sums, the sixth map from the trunk. The trunk here normalises after its convolutions, and with the batch's
/// statistics; theirs normalises before them, with frozen ones.
struct retinanet : ridgepoint::models::retinanet {
  static constexpr index_t classes = 90, anchors = 6;
  /// Labels of an image: a class and a box at each anchor of the maps of 80, 40, 20, 10 and 5 positions a side.
  static constexpr index_t label_values = (1 + 4) * anchors * (80 * 80 + 40 * 40 + 20 * 20 + 10 * 10 + 5 * 5);
  using loss = retinanet_loss;

  retinanet() { pixels = 640; }

  node build(graph& net) const {
    const std::array<node, 4> groups = ridgepoint::models::paradnn_cnn{.pixels = pixels}.groups(net);
    std::vector<node> maps;
    for (const std::size_t g : {3U, 2U, 1U}) {
      const node lateral = groups[g] | biased(256, 1);
      maps.insert(maps.begin(), maps.empty() ? lateral : add(lateral, maps.front() | nn::upsample{}));
    }
    maps.push_back(groups[3] | biased(256, 3, 2));
    maps.push_back(maps.back() | nn::relu{} | biased(256, 3, 2));
    return concat_channels(head(maps, anchors * classes), head(maps, anchors * 4));
  }

 private:
  static nn::conv2d biased(index_t filters, index_t kernel, index_t stride = 1) {
    return {.filters = filters, .kernel = kernel, .stride = stride, .padding = nn::same};
  }
  /// Applies five shared convolutions to every map and concatenates the results.
  static node head(const std::vector<node>& maps, index_t filters) {
    const auto wide = [] { return shared(biased(256, 3)); };
    const ridgepoint::shared_layer layers[] = {wide(), wide(), wide(), wide()}, last = shared(biased(filters, 3));
    node all;
    for (const node& map : maps) {
      node x = map;
      for (const ridgepoint::shared_layer& each : layers) x = x | each | nn::relu{};
      x = x | last | nn::flatten{};
      all = &map == maps.data() ? x : concat_channels(all, x);
    }
    return all;
  }
};

}  // namespace tool::tensorflow_tpu
