// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include <ridgepoint/graph/layers.hpp>
#include <ridgepoint/graph/losses.hpp>
#include <ridgepoint/models/paradnn.hpp>
#include <ridgepoint/models/parameters.hpp>
#include <ridgepoint/models/study_images.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// ParaDnn's fully connected network: inputs → layers × (nodes, ReLU) → outputs.
///
/// weights() = inputs·nodes + (layers − 1)·nodes² + nodes·outputs; per sample 2·weights() matrix FLOP forward and
/// 6·weights() in training as ParaDnn counts, which includes the first layer's backward-data; a plan leaves that out.
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
    return {{{"layers", [](paradnn_fc& m, index_t value) { m.layers = value; }},
             {"nodes", [](paradnn_fc& m, index_t value) { m.nodes = value; }},
             {"inputs", [](paradnn_fc& m, index_t value) { m.inputs = value; }},
             {"outputs", [](paradnn_fc& m, index_t value) { m.outputs = value; }}}};
  }

  [[nodiscard]] constexpr index_t weights() const noexcept {
    return inputs * nodes + (layers - 1) * nodes * nodes + nodes * outputs;
  }
  [[nodiscard]] constexpr index_t parameter_count() const noexcept { return weights() + layers * nodes + outputs; }

  [[nodiscard]] shape sample() const { return {inputs}; }
  /// The logits of inputs values.
  /// Throws: value_error for less than one layer; shape_error for another extent below one.
  node build(graph& net) const {
    require<value_error>(layers >= 1, "paradnn-fc: layers is ", layers, "; must be >= 1");
    node x = net.input(sample());
    for (index_t layer = 0; layer < layers; ++layer) x = x | nn::dense{.units = nodes} | nn::relu{};
    return x | nn::dense{.units = outputs};
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
