// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/activation.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// What is fused into a product: an option of dense_work() and conv2d_work(); a residual of the latter alone.
/// Example: rp::dense_work<float>(128, 784, 512, {.bias = true, .act = rp::activation::relu})
struct fused_work_options {
  bool bias = false;
  ridgepoint::activation act = ridgepoint::activation::none;
  [[no_unique_address]] named_act activation = {};
  bool residual = false;
};
/// Whether a pass adds the bias or, backward, sums up its gradient: of the receipts of dense, conv2d and
/// depthwise_conv2d that have no activation.
struct bias_work_options {
  bool bias = false;
};
/// Whether a loss computes its gradient too: of mse_work(), binary_cross_entropy_work() and
/// softmax_cross_entropy_work().
struct loss_work_options {
  bool gradient = false;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
