// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/activation.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Fused operations of a product: options of dense_work() and conv2d_work(); a residual only of the latter.
/// Example: rp::dense_work<float>(128, 784, 512, {.bias = true, .act = rp::activation::relu})
struct fused_work_options {
  bool bias = false;
  ridgepoint::activation act = ridgepoint::activation::none;
  [[no_unique_address]] named_act activation = {};
  bool residual = false;
};
/// States if a pass adds the bias or, backward, sums its gradient: for the receipts of dense, conv2d and
/// depthwise_conv2d passes without an activation.
struct bias_work_options {
  bool bias = false;
};
/// States if a loss also computes its gradient: for mse_work(), binary_cross_entropy_work() and
/// softmax_cross_entropy_work().
struct loss_work_options {
  bool gradient = false;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
