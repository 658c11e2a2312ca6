// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/imagenet.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// DenseNet-121: 7×7 /2 of 64, max-pool 3×3 /2, dense blocks of 6, 12, 24 and 16 layers, global average, 1000 logits;
/// 7,978,856 parameters and 83,648 moving statistics.
///
/// A layer of a block is 1×1 of 128 and 3×3 of 32 filters, each behind batch normalisation and ReLU; its channels come
/// behind those it was made of. Between blocks a transition halves the channels by 1×1, behind the same two, and the
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
