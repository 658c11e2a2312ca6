// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/graph/optimisers.hpp>
#include <ridgepoint/models/learning.hpp>
#include <ridgepoint/models/residual.hpp>
#include <ridgepoint/models/study_data.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// ParaDnn's optimiser: RMSProp of TensorFlow 1 with decay 0.9, momentum 0.9, ε = 1 and a learning rate of 0.1.
struct paradnn_rmsprop : nn::rmsprop_tf1 {
  constexpr paradnn_rmsprop() noexcept : nn::rmsprop_tf1{.learning_rate = 0.1, .options = {0.9, 0.9, 1.0}} {}
};

/// ParaDnn's optimiser for its convolutional network: its RMSProp, with the learning rate multiplied by 0.97 per 25,000
/// steps, continuously.
struct paradnn_cnn_rmsprop : paradnn_rmsprop {
  constexpr paradnn_cnn_rmsprop() noexcept { schedule = nn::exponential_decay{.every_steps = 25'000, .factor = 0.97}; }
};

/// ParaDnn's convolutional network: a residual network of four groups.
///
/// Stem: 7×7 /2 of `filters`, batch normalisation, ReLU, max-pool 3×3 /2 SAME. Group g has width filters·2^(g−1) and
/// blocks[g−1] blocks; its first block has stride 2 except for g = 1, and a 1×1 projection as shortcut. A residual
/// block is 3×3, 3×3; a bottleneck block 1×1, 3×3 (with the stride), 1×1 to four times the width; the last batch
/// normalisation of a block starts at zero. Head: average of 7×7 /1 VALID, which is not global, then a dense layer with
/// weights from a normal of deviation 0.01. Convolutions have no bias and are initialised by nn::variance_scaling;
/// strided ones are padded by (k−1)/2 on both sides.
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
    using option = model_parameter<paradnn_cnn>;
    return {{{"bottleneck",
              [](paradnn_cnn& m, index_t value) {
                require<value_error>(value == 0 || value == 1, name, ": bottleneck is ", value, "; must be 0 or 1");
                m.bottleneck = value == 1;
              },
              [](const paradnn_cnn& m) -> index_t { return m.bottleneck ? 1 : 0; }},
             {"blocks",
              [](paradnn_cnn& m, index_t value) {
                m.blocks = {value, value, value, value};
              }},
             blocks_of_group<0>("blocks1"),
             blocks_of_group<1>("blocks2"),
             blocks_of_group<2>("blocks3"),
             blocks_of_group<3>("blocks4"),
             option::of<&paradnn_cnn::filters>("filters"),
             option::of<&paradnn_cnn::pixels>("pixels"),
             option::of<&paradnn_cnn::outputs>("outputs")}};
  }

  [[nodiscard]] shape sample() const { return {pixels, pixels, 3}; }
  /// Returns the logits for pixels × pixels × 3 values.
  /// Throws: value_error for a group without a block; shape_error for an extent below one, or an image too small for
  /// the head's window (below 193 pixels).
  node build(graph& net) const {
    return groups(net).back() | nn::avg_pool{.window = 7, .stride = 1} | nn::flatten{} |
           nn::dense{.units = outputs, .initial = hundredth};
  }
  /// Returns the output of each group for pixels × pixels × 3 values, without the head.
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
  template <std::size_t Group>
  static constexpr model_parameter<paradnn_cnn> blocks_of_group(std::string_view option) noexcept {
    return {option, [](paradnn_cnn& m, index_t value) { m.blocks[Group] = value; },
            [](const paradnn_cnn& m) -> index_t { return m.blocks[Group]; }};
  }
};

/// ParaDnn's fully connected network: inputs → layers × (nodes, ReLU) → outputs.
///
/// weights() = inputs·nodes + (layers − 1)·nodes² + nodes·outputs; per sample 2·weights() matrix FLOP forward and
/// 6·weights() in training by ParaDnn's count, which includes the first layer's backward-data; a plan excludes it.
/// Example:
///   rp::graph net("fc");
///   const rp::node logits = rp::models::paradnn_fc{.layers = 32, .nodes = 2048}.build(net);
struct paradnn_fc {
  static constexpr std::string_view name = "paradnn-fc";
  static constexpr index_t batch = 1024;
  static constexpr int epochs = 1;
  static constexpr study_images images{.from = study_images::set::noise};
  using loss = nn::softmax_cross_entropy;
  using optimiser = paradnn_rmsprop;

  index_t layers = 8, nodes = 1024, inputs = 2000, outputs = 1000;

  static constexpr std::array<model_parameter<paradnn_fc>, 4> parameters() noexcept {
    using option = model_parameter<paradnn_fc>;
    return {{option::of<&paradnn_fc::layers>("layers"), option::of<&paradnn_fc::nodes>("nodes"),
             option::of<&paradnn_fc::inputs>("inputs"), option::of<&paradnn_fc::outputs>("outputs")}};
  }

  [[nodiscard]] constexpr index_t weights() const noexcept {
    return inputs * nodes + (layers - 1) * nodes * nodes + nodes * outputs;
  }
  [[nodiscard]] constexpr index_t parameter_count() const noexcept { return weights() + layers * nodes + outputs; }

  [[nodiscard]] shape sample() const { return {inputs}; }
  /// Returns the logits for `inputs` values.
  /// Throws: value_error for less than one layer; shape_error for another extent below one.
  node build(graph& net) const {
    require<value_error>(layers >= 1, "paradnn-fc: layers is ", layers, "; must be >= 1");
    node x = net.input(sample());
    for (index_t layer = 0; layer < layers; ++layer) x = x | nn::dense{.units = nodes} | nn::relu{};
    return x | nn::dense{.units = outputs};
  }
};

/// ParaDnn's optimiser for its recurrent networks: its RMSProp, with the learning rate multiplied by 0.9 per 10,000
/// steps, continuously.
struct paradnn_rnn_rmsprop : paradnn_rmsprop {
  constexpr paradnn_rnn_rmsprop() noexcept { schedule = nn::exponential_decay{.every_steps = 10'000, .factor = 0.9}; }
};

enum class paradnn_cell { rnn, gru, lstm };

/// ParaDnn's language model: tokens → embedding (vocabulary, width) → layers × cell of `width` units → logits of the
/// next token at each of `steps` steps.
///
/// With G = 1 (rnn), 3 (gru, reset-before) or 4 (lstm) gates: parameter_count() = V·E + L·G·(2E² + E) + E·V + V; per
/// sample 2·T·(L·G·2E² + E·V) matrix FLOP forward and three times that in training, since every layer's input depends
/// on the embedding. Every step counts in the loss; ParaDnn excludes steps beyond a random length.
/// Example: rp::models::paradnn_lstm{.layers = 13, .width = 900}.build(net)
template <paradnn_cell Cell>
struct paradnn_recurrent {
  static constexpr std::string_view name = Cell == paradnn_cell::rnn   ? "paradnn-rnn"
                                           : Cell == paradnn_cell::gru ? "paradnn-gru"
                                                                       : "paradnn-lstm";
  static constexpr index_t batch = 64;
  static constexpr int epochs = 1;
  static constexpr index_t gates = Cell == paradnn_cell::rnn ? 1 : Cell == paradnn_cell::gru ? 3 : 4;
  static constexpr study_texts texts{.from = study_texts::set::noise};
  using loss = nn::softmax_cross_entropy;
  using optimiser = paradnn_rnn_rmsprop;

  index_t layers = 5, width = 500, vocabulary = 512, steps = 50;

  static constexpr auto parameters() noexcept {
    using option = model_parameter<paradnn_recurrent>;
    return std::array<option, 4>{{option::template of<&paradnn_recurrent::layers>("layers"),
                                  option::template of<&paradnn_recurrent::width>("width"),
                                  option::template of<&paradnn_recurrent::vocabulary>("vocabulary"),
                                  option::template of<&paradnn_recurrent::steps>("length")}};
  }

  [[nodiscard]] constexpr index_t parameter_count() const noexcept {
    return 2 * vocabulary * width + vocabulary + layers * gates * (2 * width * width + width);
  }

  /// Returns the logits for `steps` tokens.
  /// Throws: value_error for less than one layer or token; shape_error for another extent below one.
  node build(graph& net) const {
    require<value_error>(layers >= 1, name, ": layers is ", layers, "; must be >= 1");
    node x = net.input({steps}, element::i32) | nn::embedding{.vocabulary = vocabulary, .width = width};
    for (index_t layer = 0; layer < layers; ++layer) {
      if constexpr (Cell == paradnn_cell::rnn) x = x | nn::rnn{.units = width, .sequences = true};
      else if constexpr (Cell == paradnn_cell::gru)
        x = x | nn::gru{.units = width, .sequences = true, .gate_bias = nn::ones};
      else x = x | nn::lstm{.units = width, .sequences = true, .forget_bias = nn::zeros};
    }
    return x | nn::dense{.units = vocabulary};
  }
};
using paradnn_rnn = paradnn_recurrent<paradnn_cell::rnn>;
using paradnn_gru = paradnn_recurrent<paradnn_cell::gru>;
using paradnn_lstm = paradnn_recurrent<paradnn_cell::lstm>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
