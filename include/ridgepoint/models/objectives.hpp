// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <ridgepoint/graph/compile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// What a model learns: its output and loss, or all of them if it has several, those of its objectives().
/// Example:
///   const auto objectives = rp::models::objectives_of(model, net);
///   rp::plan_training(net, objectives, Model::optimiser{}, rp::models::learning<Model>({.batch = 128}));
template <class Model>
[[nodiscard]] std::vector<objective> objectives_of(const Model& model, graph& net) {
  if constexpr (requires { model.objectives(net); }) return model.objectives(net);
  else return {{model.build(net), typename Model::loss{}}};
}
/// The outputs of these.
[[nodiscard]] inline std::vector<node> outputs_of(std::span<const objective> objectives) {
  std::vector<node> outputs;
  for (const objective& each : objectives) outputs.push_back(each.output);
  return outputs;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
