// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/learning.hpp>

#include "commands.hpp"

namespace tool {

/// Options of a network's steps: batch, algorithm, precision, optimiser and parameters.
struct step_options {
  ridgepoint::index_t batch = 0;  // 0: the model's
  ridgepoint::conv_algorithm convolution = ridgepoint::conv_algorithm::automatic;
  ridgepoint::precision in = ridgepoint::precision::f32;
  std::string optimiser;                         // empty: the model's
  ridgepoint::models::parameter_values network;  // of a model that has parameters

  /// " --blocks 1 --pixels 200"
  [[nodiscard]] std::string network_text() const {
    std::string text;
    for (const auto& [name, value] : network) text += ridgepoint::concat(" --", name, ' ', value);
    return text;
  }
  /// Returns the requested optimiser, or else the network's own.
  [[nodiscard]] ridgepoint::any_optimiser optimiser_or(ridgepoint::any_optimiser own) const;
};

/// Declares --optimizer.
void add_optimiser_option(CLI::App& app, step_options& o);

/// Declares --batch, --algorithm, --precision, --optimizer and the parameters of networks.
void add_step_options(CLI::App& app, step_options& o);

}  // namespace tool
