// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/graph.hpp>
#include <ridgepoint/graph/optimisers.hpp>

namespace tool {

/// How a described network is trained.
struct described_training {
  std::vector<ridgepoint::objective> objectives;
  ridgepoint::compile_options options;  // batch and groups of parameters
  int threads = 1;
  double weight_decay = 0;  // of parameters that belong to no group
};

/// Returns a network as JSON for programs that rebuild it, as measurement/peers/network/description.py reads it: its
/// layers in order, each with its kind, inputs, extents and options. Layers of an unknown kind have no options.
[[nodiscard]] std::string network_json(const ridgepoint::graph& net, const described_training& training,
                                       const std::string& optimiser_json);

/// Returns {"name": "adam", "learning_rate": 0.001, …} with the learning rate of the first step.
[[nodiscard]] std::string optimiser_json(const ridgepoint::nn::sgd& o);
[[nodiscard]] std::string optimiser_json(const ridgepoint::nn::momentum& o);
[[nodiscard]] std::string optimiser_json(const ridgepoint::nn::adam& o);
[[nodiscard]] std::string optimiser_json(const ridgepoint::nn::rmsprop_keras& o);
[[nodiscard]] std::string optimiser_json(const ridgepoint::nn::rmsprop_tf1& o);
[[nodiscard]] std::string optimiser_json(const ridgepoint::nn::adadelta& o);

}  // namespace tool
