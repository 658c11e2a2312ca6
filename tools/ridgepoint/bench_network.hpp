// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/models/learning.hpp>

#include "bench_rounds.hpp"

namespace tool {

/// Writes the files from which every process trains the same network: its description, weights and a batch of random
/// images or tokens. Returns the problem, with the losses of this library on a CPU for the first `losses` steps without
/// dropout, in f32; batch 0: the usual one. `type`: training precision, f32 or bf16; bf16 allows a ten times larger
/// loss difference.
/// Throws: value_error for a network that is not compared, or an unknown parameter; data_error if a file cannot be
/// written.
[[nodiscard]] bench_problem write_network(const std::filesystem::path& folder, const std::string& name,
                                          const ridgepoint::models::parameter_values& parameters,
                                          ridgepoint::index_t batch, int losses, const std::string& type,
                                          const ridgepoint::cpu& ours);

/// Declares the argument that names a compared network.
CLI::Option* add_compared_network(CLI::App& app, std::string& to);
/// Returns the help text of --batch.
[[nodiscard]] std::string compared_batches();

}  // namespace tool
