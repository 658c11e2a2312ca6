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

/// A compiler that is there: how it was asked for, and the first line of what it says of its version.
struct found_compiler {
  std::string name, version;
  std::filesystem::path file;
};
/// Throws: ridgepoint::data_error if it cannot be executed.
found_compiler find_compiler(const std::string& name);

/// Why a set has no program.
struct build_failure : ridgepoint::error {
  using ridgepoint::error::error;
};

/// Whose options a compiler has.
enum class compiler_family { gnu, clang };

/// How long a step of a build may take.
inline constexpr process_limits build_limits{.seconds = 1200};

/// Runs a step of a build; what it prints. Throws: build_failure with what `complaint_of` finds in what it wrote.
std::string run_build_step(const arguments& command, std::string (*complaint_of)(const process_end&));

/// Runs a compiler or linker; what it prints. Throws: build_failure with its first complaint.
std::string run_compiler(const arguments& command);

/// The macros that a compiler, called with these flags, defines by itself. Throws: build_failure if it refuses a flag.
std::set<std::string> macros_of(const arguments& command);

compiler_family family_of(const std::set<std::string>& macros);

/// Throws: build_failure if one of the flags has no effect beside the others, or if code with these macros may use what
/// this CPU lacks.
void check_flags(const arguments& flags, const std::set<std::string>& macros);

}  // namespace tool
