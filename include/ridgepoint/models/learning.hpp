// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/graph/graph.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// These options as a model is trained: with the groups of parameters that it learns in another way than the rest, if
/// it has groups().
/// Example:
///   net.train<float>(on, output, Model::loss{}, Model::optimiser{}, rp::models::learning<Model>({.batch = 128}));
template <class Model>
[[nodiscard]] compile_options learning(compile_options options) {
  if constexpr (requires { Model::groups(); }) options.groups = Model::groups();
  return options;
}

/// Samples of a step where nobody says how many: the model's batch, of one that takes a core long fewer.
template <class Model>
[[nodiscard]] constexpr index_t usual_batch() noexcept {
  if constexpr (requires { Model::batch_of_a_core; }) return Model::batch_of_a_core;
  else return Model::batch;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
