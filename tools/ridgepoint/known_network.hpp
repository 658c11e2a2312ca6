// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/models/learning.hpp>

namespace tool {

/// An option of a network, and its default; none if it sets several numbers.
struct network_option {
  std::string_view name;
  std::optional<ridgepoint::index_t> usual;
};
/// The fixed properties of a reference network.
struct known_network {
  std::string_view name;
  ridgepoint::index_t batch, usual_batch;
  ridgepoint::index_t samples;  // of an epoch in the study that the network is from; 0: its data are random
  std::vector<network_option> options;
};

/// Returns the networks of a list of models.
template <class... Models>
[[nodiscard]] std::vector<known_network> known(ridgepoint::type_list<Models...>) {
  std::vector<known_network> all;
  const auto add = [&]<class Model>() {
    ridgepoint::index_t samples = 0;
    if constexpr (requires { Model::texts; }) samples = Model::texts.published_samples();
    else samples = Model::images.published_samples();
    all.push_back({Model::name, Model::batch, ridgepoint::models::usual_batch<Model>(), samples, {}});
    if constexpr (requires { Model::parameters(); })
      for (const auto& p : Model::parameters()) {
        all.back().options.push_back({p.name, {}});
        if (p.get != nullptr) all.back().options.back().usual = p.get(Model{});
      }
  };
  (add.template operator()<Models>(), ...);
  return all;
}

/// Declares the argument that names one of these networks, in any case.
CLI::Option* add_network_argument(CLI::App& app, const char* argument, std::string& to,
                                  const std::vector<known_network>& networks);

/// "Samples per step (default: the model's, transformer-base 2)"
[[nodiscard]] std::string which_batch(const std::vector<known_network>& networks);

}  // namespace tool
