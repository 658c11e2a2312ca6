// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/models/imagenet.hpp>
#include <ridgepoint/models/paradnn_cnn.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// ResNet-50 v1.5, whose 3×3 convolutions have the strides: ParaDnn's network as it is by default, learnt as networks
/// for ImageNet are; 25,557,032 parameters and 53,120 moving statistics.
///
/// Per sample 8,178,368,512 matrix FLOP forward, 24,299,077,632 in training (the first layer has no backward-data).
struct resnet_50 : imagenet_model {
  static constexpr std::string_view name = "resnet-50";

  static node build(graph& net) { return paradnn_cnn{}.build(net); }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
