// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::models {

/// Number that shapes a parameterised model: its name on a command line, and its setter.
template <class Model>
struct model_parameter {
  std::string_view name;
  void (*set)(Model&, index_t);
};

/// Values by name, from a command line or a sweep.
using parameter_values = std::map<std::string, index_t, std::less<>>;

/// Returns the model with these values, and defaults for the others.
/// Throws: value_error for an unknown parameter name.
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
