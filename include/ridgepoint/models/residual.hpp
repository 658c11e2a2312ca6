// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/layers.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Building blocks of residual networks (He et al. 2015, "Deep Residual Learning for Image Recognition"): convolutions
/// without bias, padded by (k−1)/2 on all sides, each followed by batch normalisation; blocks whose input, the
/// shortcut, is added to their output.
/// Example: x = rp::models::residual{}.basic_block(x, x, 64, 1);
struct residual {
  initialiser weights = nn::he_normal;  // of convolutions
  initialiser last_gamma = nn::ones;    // of a block's last normalisation; zeros: a block starts as its shortcut

  [[nodiscard]] node convolution(const node& x, index_t width, index_t kernel, index_t stride) const {
    const index_t side = (kernel - 1) / 2;
    return x | nn::conv2d{.filters = width,
                          .kernel = kernel,
                          .stride = stride,
                          .padding = padding2d{side, side, side, side},
                          .bias = false,
                          .initial = weights};
  }
  [[nodiscard]] static node normalised(const node& x, initialiser gamma = nn::ones) {
    return x | nn::batch_norm{.epsilon = 1e-5, .momentum = 0.9, .gamma = gamma};
  }
  /// Shortcut of a block that changes the shape: 1×1 to this width, with the block's stride.
  [[nodiscard]] node projection(const node& x, index_t width, index_t stride) const {
    return normalised(convolution(x, width, 1, stride));
  }
  /// Two 3×3 convolutions; the first has the stride.
  [[nodiscard]] node basic_block(const node& x, const node& shortcut, index_t width, index_t stride) const {
    return joined(normalised(convolution(x, width, 3, stride)) | nn::relu{}, shortcut, 3);
  }
  /// 1×1, 3×3 with the stride, and 1×1 to the number of channels of the shortcut.
  [[nodiscard]] node bottleneck_block(const node& x, const node& shortcut, index_t width, index_t stride) const {
    const node narrow = normalised(convolution(x, width, 1, 1)) | nn::relu{};
    return joined(normalised(convolution(narrow, width, 3, stride)) | nn::relu{}, shortcut, 1);
  }

 private:
  [[nodiscard]] node joined(const node& y, const node& shortcut, index_t kernel) const {
    return add(normalised(convolution(y, shortcut.extents()[2], kernel, 1), last_gamma), shortcut) | nn::relu{};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
