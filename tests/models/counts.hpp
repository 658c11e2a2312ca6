// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/compile.hpp>

/// Parameters and matrix FLOP of a model, read off the receipts of its plans.
struct counts {
  ridgepoint::index_t parameters = 0;
  std::uint64_t forward = 0, training = 0;  // matrix FLOP of one sample

  template <class Model>
  explicit counts(const Model& model, ridgepoint::index_t batch = 1) {
    ridgepoint::graph net("counted");
    const ridgepoint::node output = model.build(net);
    const auto learning =
        ridgepoint::plan_training(net, output, typename Model::loss{}, typename Model::optimiser{}, {.batch = batch});
    const auto per_sample = [&](std::uint64_t flop) { return flop / static_cast<std::uint64_t>(batch); };
    parameters = learning.trainable_size();
    forward = per_sample(ridgepoint::plan_inference(net, output, {.batch = batch}).plan.receipt().matrix_flop);
    training = per_sample(learning.plan.receipt().matrix_flop);
  }
};
