// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/models/learning.hpp>

namespace tool {

/// The fixed properties of a reference network.
struct known_network {
  std::string_view name;
  ridgepoint::index_t batch, usual_batch;
  std::vector<std::string_view> parameters;  // their names
};

/// Returns the networks of a list of models.
template <class... Models>
[[nodiscard]] std::vector<known_network> known(ridgepoint::type_list<Models...>) {
  std::vector<known_network> all;
  const auto add = [&]<class Model>() {
    all.push_back({Model::name, Model::batch, ridgepoint::models::usual_batch<Model>(), {}});
    if constexpr (requires { Model::parameters(); })
      for (const auto& p : Model::parameters()) all.back().parameters.push_back(p.name);
  };
  (add.template operator()<Models>(), ...);
  return all;
}

/// Declares the argument that names one of these networks, in any case.
CLI::Option* add_network_argument(CLI::App& app, const char* argument, std::string& to,
                                  const std::vector<known_network>& networks);

/// "Samples per step (default: the model's, transformer-base 2)"
[[nodiscard]] std::string which_batch(const std::vector<known_network>& networks);

/// Declares an option for every parameter of these networks.
void add_parameter_options(CLI::App& app, ridgepoint::models::parameter_values& to,
                           const std::vector<known_network>& networks);

/// Declares the option of one parameter.
void add_parameter_option(CLI::App& app, ridgepoint::models::parameter_values& to, std::string_view parameter,
                          const std::string& description);

}  // namespace tool
