// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/graph/trainer.hpp>

#include "known_network.hpp"
#include "step_options.hpp"
#include "training_data.hpp"

namespace tool {

/// A reference network as commands train it, with its model type erased.
struct trained_network {
  std::string name;
  int epochs;
  ridgepoint::index_t batch;
  ridgepoint::any_optimiser optimiser;
  ridgepoint::compile_options options;
  bool writes;   // predicts the next character of a text: sample_text()
  bool embryos;  // learns from study C's images
  /// Reads the training data, or generates them; the network takes the vocabulary of a text.
  /// Throws: as training_data; value_error for a requested vocabulary that differs from the text's.
  std::function<training_data(const data_source&)> load;
  /// Builds the objectives in a graph, with the shapes that load() set.
  std::function<std::vector<ridgepoint::objective>(ridgepoint::graph&)> build;

  /// Returns a trainer of the network.
  template <class Backend>
  [[nodiscard]] ridgepoint::trainer<float, Backend> trainer(
      const Backend& on, const ridgepoint::graph& net, const std::vector<ridgepoint::objective>& objectives) const {
    return ridgepoint::trainer<float, Backend>(net, on, objectives, optimiser, options,
                                               ridgepoint::library_ops<float, Backend>());
  }
};

/// Returns the reference networks that can be trained.
[[nodiscard]] const std::vector<known_network>& known_networks();

/// Throws: value_error for a name not in trained_networks, for an unknown parameter, and if it cannot be built.
[[nodiscard]] trained_network network_named(const std::string& name, const step_options& step, std::uint64_t seed);
/// Returns network_named() before it is known that the network can be built: build() throws.
[[nodiscard]] trained_network unchecked_network(const std::string& name, const step_options& step, std::uint64_t seed);

/// Returns a training step, with the shapes known so far: the data may have a text of fewer characters.
[[nodiscard]] ridgepoint::compiled training_plan(const trained_network& of);
/// Returns the plan of a training step of one sample, with default parameters.
/// Throws: value_error for an unknown network.
[[nodiscard]] ridgepoint::plan smallest_training(std::string_view name, ridgepoint::precision in);

/// Returns the first op of a plan that a backend lacks; empty if it has all.
template <class Backend>
[[nodiscard]] std::string missing_op(const ridgepoint::plan& step) {
  const ridgepoint::op_table<Backend> ops = ridgepoint::library_ops<float, Backend>();
  for (const ridgepoint::planned_call& call : step.calls)
    if (ops.find(call.op) == nullptr) return to_string(*call.op);
  return "";
}

/// Throws: unsupported if the backend lacks an op of `step`, a training step of the network `name`. The message lists
/// the networks that the backend can train in this precision.
template <class Backend>
void check_trains(std::string_view who, std::string_view name, const Backend& on, ridgepoint::precision in,
                  const ridgepoint::plan& step) {
  const std::string missing = missing_op<Backend>(step);
  if (missing.empty()) return;
  std::vector<std::string_view> able;
  for (const known_network& other : known_networks())
    if (missing_op<Backend>(smallest_training(other.name, in)).empty()) able.push_back(other.name);
  const std::string instead = able.empty()
                                  ? "must be another precision or backend"
                                  : "the network must be " + ridgepoint::names_of(able) + ", or the backend reference";
  throw ridgepoint::unsupported(
      ridgepoint::concat(who, ": ", name, " needs ", missing, ", which ", on.name(), " does not have; ", instead));
}

}  // namespace tool
