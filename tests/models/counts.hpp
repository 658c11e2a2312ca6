// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/learning.hpp>

/// Parameters and matrix FLOP of a model, from its plans and their receipts.
struct counts {
  ridgepoint::index_t parameters = 0, moving = 0;  // trainable ones; moving statistics
  std::uint64_t forward = 0, training = 0;         // matrix FLOP of one sample

  template <class Model>
  explicit counts(const Model& model, ridgepoint::index_t batch = 1) {
    ridgepoint::graph net("counted");
    const auto objectives = ridgepoint::models::objectives_of(model, net);
    const auto learning = ridgepoint::plan_training(net, objectives, typename Model::optimiser{},
                                                    ridgepoint::models::learning<Model>({.batch = batch}));
    const auto per_sample = [&](std::uint64_t flop) { return flop / static_cast<std::uint64_t>(batch); };
    parameters = learning.trainable_size();
    for (const auto& p : learning.parameters) moving += p.spec.trainable ? 0 : p.spec.extents.size();
    const auto outputs = ridgepoint::models::outputs_of(objectives);
    forward = per_sample(ridgepoint::plan_inference(net, outputs, {.batch = batch}).plan.receipt().matrix_flop);
    training = per_sample(learning.plan.receipt().matrix_flop);
  }
};

/// Returns (trainable parameters, matrix FLOP of one sample's forward pass over all uses) of every layer with
/// parameters, in order.
using layer_counts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
template <class Model>
layer_counts layers_of(const Model& model) {
  ridgepoint::graph net("layers");
  const auto made =
      ridgepoint::plan_inference(net, ridgepoint::models::outputs_of(ridgepoint::models::objectives_of(model, net)));
  layer_counts all;
  for (const auto& block : made.blocks) {
    std::uint64_t flop = 0;
    for (const ridgepoint::planned_call& call : made.plan.calls)
      if (std::ranges::any_of(made.parameters, [&](const ridgepoint::planned_parameter& p) {
            return p.name.starts_with(block.layer + '.') &&
                   std::ranges::any_of(call.reads, [&](ridgepoint::slot s) { return s.index == p.values.index; });
          }))
        flop += call.info.receipt.matrix_flop;
    all.emplace_back(static_cast<std::uint64_t>(block.size), flop);
  }
  return all;
}
/// Adds a convolution without bias to maps of side² pixels, and its normalisation.
inline void add_convolution(layer_counts& all, std::uint64_t side, std::uint64_t kernel, std::uint64_t in,
                            std::uint64_t out) {
  const std::uint64_t weights = kernel * kernel * in * out;
  all.push_back({weights, 2 * side * side * weights});
  all.push_back({2 * out, 0});
}
