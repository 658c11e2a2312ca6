// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/nearest_name.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/graph/graph.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Returns the options with the model's parameter groups added, if it has groups().
/// Example:
///   net.train<float>(on, output, Model::loss{}, Model::optimiser{}, rp::models::learning<Model>({.batch = 128}));
template <class Model>
[[nodiscard]] compile_options learning(compile_options options) {
  if constexpr (requires { Model::groups(); }) options.groups = Model::groups();
  return options;
}

/// Returns the default samples per step: the model's batch, or fewer for models whose batch takes one core long.
template <class Model>
[[nodiscard]] constexpr index_t usual_batch() noexcept {
  if constexpr (requires { Model::batch_of_a_core; }) return Model::batch_of_a_core;
  else return Model::batch;
}

/// Returns a model's objectives(), or its single output and loss as one objective.
/// Example:
///   const auto objectives = rp::models::objectives_of(model, net);
///   rp::plan_training(net, objectives, Model::optimiser{}, rp::models::learning<Model>({.batch = 128}));
template <class Model>
[[nodiscard]] std::vector<objective> objectives_of(const Model& model, graph& net) {
  if constexpr (requires { model.objectives(net); }) return model.objectives(net);
  else return {{model.build(net), typename Model::loss{}}};
}
/// Returns the outputs of the objectives.
[[nodiscard]] inline std::vector<node> outputs_of(std::span<const objective> objectives) {
  std::vector<node> outputs;
  for (const objective& each : objectives) outputs.push_back(each.output);
  return outputs;
}

/// Option of a parameterised model, a number that shapes it: its name on a command line, and how to set and read it.
template <class Model>
struct model_parameter {
  std::string_view name;
  void (*set)(Model&, index_t);
  index_t (*get)(const Model&) = nullptr;  // nullptr: sets several numbers

  /// Returns the parameter of a member, or of a member of a member.
  /// Example: model_parameter<Model>::template of<&Model::extents, &transformer::layers>("layers")
  template <auto... Members>
  static constexpr model_parameter of(std::string_view name) noexcept {
    return {name, [](Model& m, index_t value) { (m.*....*Members) = value; },
            [](const Model& m) -> index_t { return (m.*....*Members); }};
  }
};

/// Values by name, from a command line or a sweep.
using parameter_values = std::map<std::string, index_t, std::less<>>;

/// Returns the model with these values, and defaults for the others.
/// Throws: value_error for an unknown name.
/// Example: configured<paradnn_fc>({{"layers", 32}, {"nodes", 2048}})
template <class Model>
[[nodiscard]] Model configured(const parameter_values& values) {
  Model model;
  std::vector<model_parameter<Model>> all;
  if constexpr (requires { Model::parameters(); })
    for (const model_parameter<Model>& p : Model::parameters()) all.push_back(p);
  std::vector<std::string_view> known;
  known.reserve(all.size());
  for (const model_parameter<Model>& p : all) known.push_back(p.name);
  for (const auto& [name, value] : values) {
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end())
      throw value_error(concat(Model::name, ": has no option \"", printable(name), "\"; ",
                               all.empty() ? "it has none" : "must be one of: ", names_of(all),
                               did_you_mean(name, known)));
    all[static_cast<std::size_t>(at - known.begin())].set(model, value);
  }
  return model;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
