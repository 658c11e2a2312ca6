// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <ridgepoint/graph/compile.hpp>
#include <ridgepoint/models/learning.hpp>

#include "commands.hpp"

namespace tool {

/// Options of a network's steps: batch, algorithm, precision, optimiser, and the network's own.
struct step_options {
  ridgepoint::index_t batch = 0;  // 0: the model's
  ridgepoint::conv_algorithm convolution = ridgepoint::conv_algorithm::automatic;
  std::string precision;                         // empty: f32, or a modelled machine's own
  std::string optimiser;                         // empty: the model's
  ridgepoint::models::parameter_values network;  // of --set

  /// " blocks=1 pixels=200"
  [[nodiscard]] std::string network_text() const;
  /// Returns the stored format of a step that runs here; f32 unless requested.
  /// Throws: value_error for a format that only models of machines have.
  [[nodiscard]] ridgepoint::precision stored() const;
  /// Returns the requested optimiser, or else the network's own.
  [[nodiscard]] ridgepoint::any_optimiser optimiser_or(ridgepoint::any_optimiser own) const;
};

/// Returns " --set blocks=1,pixels=200", or "" without values.
[[nodiscard]] std::string set_option(const ridgepoint::models::parameter_values& values);

/// Declares --set, the network's own options.
void add_set_option(CLI::App& app, ridgepoint::models::parameter_values& to);

/// Declares --batch, --algorithm, --optimizer and --set.
void add_step_options(CLI::App& app, step_options& o);

}  // namespace tool
