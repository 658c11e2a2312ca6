// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <ridgepoint/study/target.hpp>

#include "commands.hpp"

/// Shared code of the commands that compare a model with published numbers.
namespace tool {

/// Options of these commands.
struct validation_options {
  std::string data, json;
  std::vector<std::string> only;
};

/// Declares --data, --only and --json; `files` names some of the tables.
void add_validation_options(CLI::App& app, validation_options& o, const char* files);

/// Prints every target, or the requested ones, with a summary. Returns `failed` if a demand is not met.
/// Throws: value_error for a target that does not exist.
[[nodiscard]] int validate(const validation_options& o, const std::vector<ridgepoint::study::target>& all);

}  // namespace tool
