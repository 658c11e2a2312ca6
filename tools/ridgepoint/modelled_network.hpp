// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ridgepoint/models/all.hpp>

#include "commands.hpp"
#include "step_options.hpp"

/// What the commands share that model a step of a network on a machine: one command for each network.
namespace tool {

/// "paradnn-fc layers=4 optimizer=sgd"
template <class Model>
[[nodiscard]] std::string title_of(const step_options& step) {
  std::string title(Model::name);
  for (const auto& [name, value] : step.network) title += ridgepoint::concat(' ', name, '=', value);
  if (!step.optimiser.empty()) title += " optimizer=" + step.optimiser;
  return title;
}

/// Declares --batch, --optimizer and the parameters of the network. `step` must outlive the parser.
template <class Model>
void add_model_options(CLI::App& app, step_options& step, const char* what_batch) {
  app.add_option("--batch", step.batch, ridgepoint::concat(what_batch, " (default: ", Model::batch, ")"))
      ->check(CLI::Range(1, 1 << 30));
  add_optimiser_option(app, step);
  if constexpr (requires { Model::parameters(); })
    for (const auto& p : Model::parameters())
      app.add_option_function<ridgepoint::index_t>(
          ridgepoint::concat("--", p.name),
          [&step, name = std::string(p.name)](ridgepoint::index_t value) { step.network[name] = value; },
          "Of the network");
}

/// command.template operator()<Model>() of each network.
template <class... Models, class Command>
[[nodiscard]] std::vector<std::unique_ptr<tool::command>> network_commands(ridgepoint::type_list<Models...>,
                                                                           const Command& command) {
  std::vector<std::unique_ptr<tool::command>> made;
  (made.push_back(command.template operator()<Models>()), ...);
  return made;
}

}  // namespace tool
