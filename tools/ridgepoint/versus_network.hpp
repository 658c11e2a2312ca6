// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/models/parameters.hpp>

#include "versus_rounds.hpp"

namespace tool {

/// Writes what every process reads to train a network alike: its description, weights and a batch of random images or
/// tokens. Returns what to compare, with the losses that this library on a CPU has in so many first steps without
/// dropout, in f32; batch 0: the usual one. `type`: what it is to be trained in, f32 or bf16, where losses may be ten
/// times as far off.
/// Throws: value_error for a network that is not one of those compared, or a parameter that it does not have;
/// data_error if a file cannot be written.
[[nodiscard]] versus_problem write_network(const std::filesystem::path& folder, const std::string& name,
                                           const ridgepoint::models::parameter_values& parameters,
                                           ridgepoint::index_t batch, int losses, const std::string& type,
                                           const ridgepoint::cpu& ours);

/// Declares the argument that is the name of one of those compared.
CLI::Option* add_compared_network(CLI::App& app, std::string& to);
/// What --help says of --batch.
[[nodiscard]] std::string compared_batches();
/// Declares an option for every parameter that one of them has.
void add_network_options(CLI::App& app, ridgepoint::models::parameter_values& to);

}  // namespace tool
