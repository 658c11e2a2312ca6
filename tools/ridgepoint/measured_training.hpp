// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <ridgepoint/roofline/environment.hpp>
#include <ridgepoint/roofline/machine.hpp>
#include <ridgepoint/roofline/profile.hpp>

#include "trained_network.hpp"

namespace tool {

/// Options of a network's training that is measured op by op.
struct training_options {
  std::string model = "mnist-mlp", data, backend = "cpu";
  int steps = 300, threads = 0;
  std::uint64_t seed = 42;
  tool::step_options step;
};

/// Declares the step options, --steps, --data, --threads and --seed. `o` must outlive the parser.
void add_training_options(CLI::App& app, training_options& o, const char* what_data);

/// A step of a training, and the machine that it ran on.
struct measured_training {
  ridgepoint::machine machine;
  ridgepoint::profile profile;
  ridgepoint::environment at;
};

/// A validated training: nothing is left that can be rejected before measuring.
struct ready_training {
  trained_network of;  // with the shapes of its data
  std::string memory;  // of a step
  std::function<measured_training()> measure;
};

/// Reads the data, or generates them below `out`, and compiles the network; measures nothing yet.
/// Throws: value_error, before any data are read, if the step needs more memory than is available; as with_backend(),
/// check_trains(), network_named() and trained_network::load().
[[nodiscard]] ready_training made_ready(const char* who, const training_options& o, const std::filesystem::path& out);

}  // namespace tool
