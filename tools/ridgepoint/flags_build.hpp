// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "measurement/flags/flag_set.hpp"
#include "measurement/flags/row_findings.hpp"

namespace tool {

/// A compiler that is there: how it was asked for, and the first line of what it says of its version.
struct found_compiler {
  std::string name, version;
  std::filesystem::path file;
};
/// Throws: ridgepoint::data_error if it can not be executed.
found_compiler find_compiler(const std::string& name);

/// A program of one source with Google Benchmark, and where its builds are kept.
struct flags_source {
  std::filesystem::path file, folder;
  std::vector<std::string> options = {}, include = {}, link = {};  // of every set
};

/// A set of flags of one compiler, and what became of it.
struct flags_build {
  measurement::flag_set set;
  found_compiler compiler;
  std::vector<std::filesystem::path> programs = {};  // the same code, a little further on in each
  std::string failure = {};                          // why there are none
  bool kept = false;                                 // from an earlier time
  double compile_s = 0;                              // until the first program was linked
  std::uint64_t code_bytes = 0;
  bool flushes_denormals = false;  // sets FTZ and DAZ before main()
  std::optional<measurement::build_roof> roof = {};
};

/// What makes a program of the source with a set's flags, in one step: the words of a command.
std::vector<std::string> build_command(const flags_build& set, const flags_source& of, const std::string& program);

/// Builds every set that has no failure, as many at once as there are cores and GiB of memory, unless the same compiler
/// has made it of the same files before. What is built appears whole or not at all.
///
/// A set that does not compile, that needs what this CPU lacks or whose flags contradict each other gets the reason as
/// its failure; so do those that an interruption leaves over. Throws: ridgepoint::data_error if the folder can not be
/// written.
void build_flags(std::vector<flags_build>& sets, const flags_source& of);

}  // namespace tool
