// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/host_batch.hpp>
#include <ridgepoint/graph/layers/embedding.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// One random batch for a network and its losses, to time steps; it contains nothing to learn. Pixels are in [0, 1),
/// ids below the vocabulary and labels below the classes; a network with a regression loss gets its own input as
/// target.
/// Example:
///   rp::graph net{"mlp"};
///   const auto objectives = rp::models::objectives_of(rp::models::mnist_mlp{}, net);
///   const rp::models::random_batch batch(net, objectives, 128);
///   trainer.step(batch.inputs()[0].values(), batch.targets()[0].values());
class random_batch {
 public:
  /// Data of an input or a loss: numbers, or ids.
  struct column {
    std::string name;  // of the input
    shape sample;
    std::vector<float> numbers = {};
    std::vector<std::int32_t> ids = {};

    [[nodiscard]] host_values<float> values() const {
      return ids.empty() ? host_values<float>(numbers) : host_values<float>(ids);
    }
  };

  /// Throws: shape_error if a loss takes values and the network's output differs in shape from its input.
  random_batch(const graph& net, const std::vector<objective>& objectives, index_t batch, std::uint64_t seed = 1)
      : batch_(batch), random_(seed) {
    const index_t vocabulary = vocabulary_of(net);
    for (const auto& each : net.nodes())
      if (!each.layer) add_input(each, vocabulary);
    for (const objective& each : objectives) add_targets(each, net);
  }

  /// Inputs, in the network's order.
  [[nodiscard]] const std::vector<column>& inputs() const noexcept { return inputs_; }
  /// Targets, one per loss.
  [[nodiscard]] const std::vector<column>& targets() const noexcept { return targets_; }

 private:
  /// Returns 0 if the network takes numbers.
  [[nodiscard]] static index_t vocabulary_of(const graph& net) {
    for (const auto& each : net.nodes())
      if (const auto* layer = each.layer ? each.layer->target<nn::embedding>() : nullptr) return layer->vocabulary;
    return 0;
  }
  [[nodiscard]] std::vector<std::int32_t> below(index_t bound, index_t count) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
    for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random_.below(static_cast<std::uint32_t>(bound)));
    return ids;
  }
  void add_input(const detail::graph_node& input, index_t vocabulary) {
    const index_t count = batch_ * input.output.size();
    column drawn{.name = input.name, .sample = input.output};
    if (input.type == element::i32) drawn.ids = below(vocabulary, count);
    else
      for (index_t i = 0; i < count; ++i) drawn.numbers.push_back(static_cast<float>(random_.uniform()));
    inputs_.push_back(std::move(drawn));
  }
  /// Adds labels, or 0/1 values for a binary loss, or the input.
  void add_targets(const objective& of, const graph& net) {
    const shape &made = of.output.extents(), &given = net.nodes()[0].output;
    column drawn{.name = {}, .sample = made};
    if (of.loss.target() == element::i32) {
      drawn.sample = {made.begin(), made.end() - 1};
      drawn.ids = below(made[-1], batch_ * of.loss.targets(made));
    } else if (of.loss.counts_correct()) {
      const auto sides = below(2, batch_ * made.size());
      drawn.numbers.assign(sides.begin(), sides.end());
    } else {
      require<shape_error>(made == given, "random_batch: ", net.name(), " makes ", made, " of ", given,
                           "; must be equal if the target is the input");
      drawn.numbers = inputs_[0].numbers;
    }
    targets_.push_back(std::move(drawn));
  }

  index_t batch_;
  random_stream random_;
  std::vector<column> inputs_, targets_;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
