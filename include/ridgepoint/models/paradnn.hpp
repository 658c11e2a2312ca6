// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/optimisers.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// How ParaDnn trains: RMSProp of TensorFlow 1 with decay 0.9, momentum 0.9, ε = 1 and a learning rate of 0.1.
struct paradnn_rmsprop : nn::rmsprop_tf1 {
  constexpr paradnn_rmsprop() noexcept : nn::rmsprop_tf1{.learning_rate = 0.1, .options = {0.9, 0.9, 1.0}} {}
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
