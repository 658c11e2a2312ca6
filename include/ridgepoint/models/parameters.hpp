// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// A number that shapes a parameterised model: its name on a command line, and what setting it does.
template <class Model>
struct model_parameter {
  std::string_view name;
  void (*set)(Model&, index_t);
};

/// Values by name, as they come from a command line or a sweep.
using parameter_values = std::map<std::string, index_t, std::less<>>;

/// The model with these values, and its own where none is given.
/// Throws: value_error for a name the model has no parameter of.
/// Example: configured<paradnn_fc>({{"layers", 32}, {"nodes", 2048}})
template <class Model>
[[nodiscard]] Model configured(const parameter_values& values) {
  Model model;
  for (const auto& [name, value] : values) {
    bool found = false;
    std::string names;
    if constexpr (requires { Model::parameters(); }) {
      for (const model_parameter<Model>& p : Model::parameters()) {
        names += concat(names.empty() ? "" : ", ", p.name);
        if (p.name != name) continue;
        p.set(model, value);
        found = true;
      }
    }
    require<value_error>(found, Model::name, ": has no parameter \"", name, "\"; ",
                         names.empty() ? "it has none" : "must be one of: ", names);
  }
  return model;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::models
