// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/schedules.hpp>
#include <ridgepoint/models/paradnn.hpp>
#include <ridgepoint/models/parameters.hpp>
#include <ridgepoint/models/residual.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// How ParaDnn trains its convolutional network: its RMSProp, of whose learning rate 0.97 are left every 25,000 steps,
/// continuously.
struct paradnn_cnn_rmsprop : paradnn_rmsprop {
  constexpr paradnn_cnn_rmsprop() noexcept { schedule = nn::exponential_decay{.every_steps = 25'000, .factor = 0.97}; }
};

/// ParaDnn's convolutional network: a residual network of four groups.
///
/// Stem: 7×7 /2 of `filters`, batch normalisation, ReLU, max-pool 3×3 /2 SAME. Group g has width filters·2^(g−1) and
/// blocks[g−1] blocks; its first one has stride 2 but for g = 1, and a 1×1 projection as shortcut. A residual block is
/// 3×3, 3×3; a bottleneck block 1×1, 3×3 (with the stride), 1×1 to four times the width; the last batch normalisation
/// of a block starts at zero. Head: average of 7×7 /1 VALID, which is not global, then a dense layer, whose weights
/// begin normal with deviation 0.01. Convolutions have no bias and begin by nn::variance_scaling; strided ones are
/// padded by (k−1)/2 on both sides.
///
/// Blocks 3, 4, 6, 3 (the default) with 64 filters on 224 pixels and 1000 outputs are ResNet-50 v1.5: 25,557,032
/// parameters.
/// Example: rp::models::paradnn_cnn{.bottleneck = false, .blocks = {2, 2, 2, 2}, .pixels = 200}.build(net)
struct paradnn_cnn {
  static constexpr std::string_view name = "paradnn-cnn";
  static constexpr index_t batch = 128;
  static constexpr int epochs = 1;
  static constexpr study_images images{.from = study_images::set::noise};
  using loss = nn::softmax_cross_entropy;
  using optimiser = paradnn_cnn_rmsprop;

  bool bottleneck = true;
  std::array<index_t, 4> blocks{3, 4, 6, 3};
  index_t filters = 64, pixels = 224, outputs = 1000;

  static constexpr std::array<model_parameter<paradnn_cnn>, 9> parameters() noexcept {
    return {{{"bottleneck",
              [](paradnn_cnn& m, index_t value) {
                require<value_error>(value == 0 || value == 1, name, ": bottleneck is ", value, "; must be 0 or 1");
                m.bottleneck = value == 1;
              }},
             {"blocks",
              [](paradnn_cnn& m, index_t value) {
                m.blocks = {value, value, value, value};
              }},
             {"blocks1", [](paradnn_cnn& m, index_t value) { m.blocks[0] = value; }},
             {"blocks2", [](paradnn_cnn& m, index_t value) { m.blocks[1] = value; }},
             {"blocks3", [](paradnn_cnn& m, index_t value) { m.blocks[2] = value; }},
             {"blocks4", [](paradnn_cnn& m, index_t value) { m.blocks[3] = value; }},
             {"filters", [](paradnn_cnn& m, index_t value) { m.filters = value; }},
             {"pixels", [](paradnn_cnn& m, index_t value) { m.pixels = value; }},
             {"outputs", [](paradnn_cnn& m, index_t value) { m.outputs = value; }}}};
  }

  [[nodiscard]] shape sample() const { return {pixels, pixels, 3}; }
  /// The logits of pixels × pixels × 3 values.
  /// Throws: value_error for a group without a block; shape_error for an extent below one, or an image too small for
  /// the head's window (below 193 pixels).
  node build(graph& net) const {
    return groups(net).back() | nn::avg_pool{.window = 7, .stride = 1} | nn::flatten{} |
           nn::dense{.units = outputs, .initial = hundredth};
  }
  /// What each group makes of pixels × pixels × 3 values, without the head.
  /// Throws: value_error for a group without a block; shape_error for an extent below one.
  [[nodiscard]] std::array<node, 4> groups(graph& net) const {
    for (std::size_t group = 0; group < blocks.size(); ++group)
      require<value_error>(blocks[group] >= 1, "paradnn-cnn: group ", group + 1, " has ", blocks[group],
                           " blocks; must be >= 1");
    const residual parts{.weights = nn::variance_scaling, .last_gamma = nn::zeros};
    node x = parts.normalised(parts.convolution(net.input(sample()), filters, 7, 2)) | nn::relu{} |
             nn::max_pool{.window = 3, .stride = 2, .padding = nn::same};
    std::array<node, 4> made;
    index_t width = filters;
    for (std::size_t group = 0; group < blocks.size(); ++group, width *= 2) {
      for (index_t b = 0; b < blocks[group]; ++b) {
        const index_t stride = b == 0 && group > 0 ? 2 : 1, out = bottleneck ? 4 * width : width;
        const node shortcut = b == 0 ? parts.projection(x, out, stride) : x;
        x = bottleneck ? parts.bottleneck_block(x, shortcut, width, stride)
                       : parts.basic_block(x, shortcut, width, stride);
      }
      made[group] = x;
    }
    return made;
  }

 private:
  static double hundredth(random_stream& random, fan) { return nn::normal(random, 0.01); }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
