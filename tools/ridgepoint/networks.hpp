// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/graph/trainer.hpp>
#include <ridgepoint/models/all.hpp>

namespace tool {

/// The reference networks that tell MNIST's digits apart.
using digit_networks = ridgepoint::type_list<ridgepoint::models::mnist_mlp, ridgepoint::models::mnist_cnn,
                                             ridgepoint::models::keras_mnist_mlp, ridgepoint::models::keras_mnist_cnn>;
/// All that there are data for: see training_data.hpp.
using trained_networks = ridgepoint::models::all;

/// "mnist-mlp, mnist-cnn"
template <class... Models>
[[nodiscard]] std::string names(ridgepoint::type_list<Models...>) {
  std::string list;
  ((list += ridgepoint::concat(list.empty() ? "" : ", ", Models::name)), ...);
  return list;
}
/// "paradnn-cnn, retinanet": those that have a parameter of this name.
template <class... Models>
[[nodiscard]] std::string names_with(std::string_view parameter, ridgepoint::type_list<Models...>) {
  std::string list;
  const auto look = [&]<class Model>() {
    if constexpr (requires { Model::parameters(); })
      for (const auto& p : Model::parameters())
        if (p.name == parameter) list += ridgepoint::concat(list.empty() ? "" : ", ", Model::name);
  };
  (look.template operator()<Models>(), ...);
  return list;
}
/// "Samples per step (default: the model's, transformer-base 2)"
template <class... Models>
[[nodiscard]] std::string which_batch(ridgepoint::type_list<Models...>) {
  std::string text = "Samples per step (default: the model's";
  const auto add = [&]<class Model>() {
    if constexpr (ridgepoint::models::usual_batch<Model>() != Model::batch)
      text += ridgepoint::concat(", ", Model::name, ' ', ridgepoint::models::usual_batch<Model>());
  };
  (add.template operator()<Models>(), ...);
  return text + ')';
}
/// Declares an option for every parameter that a network has.
template <class... Models>
void add_parameter_options(CLI::App& app, ridgepoint::models::parameter_values& to,
                           ridgepoint::type_list<Models...> networks) {
  const auto add = [&]<class Model>() {
    if constexpr (requires { Model::parameters(); })
      for (const auto& p : Model::parameters()) {
        const std::string option = ridgepoint::concat("--", p.name);
        if (app.get_option_no_throw(option) != nullptr) continue;
        app.add_option_function<ridgepoint::index_t>(
            option, [&to, name = std::string(p.name)](ridgepoint::index_t value) { to[name] = value; },
            ridgepoint::concat("Shapes ", names_with(p.name, networks)));
      }
  };
  (add.template operator()<Models>(), ...);
}

/// What --help says of the networks.
[[nodiscard]] inline std::string which_network() {
  return ridgepoint::concat("Which network: ", names(trained_networks{}));
}

}  // namespace tool
