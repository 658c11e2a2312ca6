// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include <ridgepoint/core/error.hpp>

#include "bounded_process.hpp"

namespace tool {

/// Words of a command.
using arguments = std::vector<std::string>;
arguments joined(std::initializer_list<arguments> parts);

/// An installed compiler: its name as requested, and the first line of its version output.
struct found_compiler {
  std::string name, version;
  std::filesystem::path file;
};
/// Throws: ridgepoint::data_error if it cannot be executed.
found_compiler find_compiler(const std::string& name);

/// The reason why a set has no program.
struct build_failure : ridgepoint::error {
  using ridgepoint::error::error;
};

/// The compiler whose options are accepted.
enum class compiler_family { gnu, clang };

/// Limits of one build step.
inline constexpr process_limits build_limits{.seconds = 1200};

/// Runs a build step and returns its output. Throws: build_failure with the message that `complaint_of` finds in it.
std::string run_build_step(const arguments& command, std::string (*complaint_of)(const process_end&));

/// Runs a compiler or linker and returns its output. Throws: build_failure with its first error message.
std::string run_compiler(const arguments& command);

/// Returns the predefined macros of a compiler with these flags. Throws: build_failure if it rejects a flag.
std::set<std::string> macros_of(const arguments& command);

compiler_family family_of(const std::set<std::string>& macros);

/// Throws: build_failure if one of the flags has no effect with the other flags, or if code with these macros may use
/// features that this CPU lacks.
void check_flags(const arguments& flags, const std::set<std::string>& macros);

}  // namespace tool
