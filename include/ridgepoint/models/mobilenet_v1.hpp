// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/imagenet.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
