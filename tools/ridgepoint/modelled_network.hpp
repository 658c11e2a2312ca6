// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "number_option.hpp"
#include "step_options.hpp"
#include "trained_network.hpp"

/// Shared code of the commands that model a step of a network on a machine: one command per network.
namespace tool {

/// Returns "paradnn-fc layers=4 optimizer=sgd".
[[nodiscard]] inline std::string title_of(const known_network& network, const step_options& step) {
  std::string title(network.name);
  for (const auto& [name, value] : step.network) title += ridgepoint::concat(' ', name, '=', value);
  if (!step.optimiser.empty()) title += " optimizer=" + step.optimiser;
  return title;
}

/// Returns the network with these options; without a batch in `step`, uses the network's.
[[nodiscard]] inline trained_network with_options(const known_network& network, step_options step) {
  if (step.batch == 0) step.batch = network.batch;
  return network_named(std::string(network.name), step, ridgepoint::compile_options{}.seed);
}

/// Declares --batch, --optimizer and the network's parameters. `step` must outlive the parser.
inline void add_model_options(CLI::App& app, const known_network& network, step_options& step, const char* what_batch) {
  app.add_option("--batch", step.batch, ridgepoint::concat(what_batch, " (default: ", network.batch, ")"))
      ->check(number_in(1, 1 << 30));
  add_optimiser_option(app, step);
  for (const std::string_view parameter : network.parameters)
    add_parameter_option(app, step.network, parameter, "Parameter of the network");
}

/// Returns command(network) for each network.
template <class Command>
[[nodiscard]] std::vector<std::unique_ptr<tool::command>> network_commands(const Command& command) {
  std::vector<std::unique_ptr<tool::command>> made;
  for (const known_network& network : known_networks()) made.push_back(command(network));
  return made;
}

}  // namespace tool
