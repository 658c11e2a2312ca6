// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "flags_compiler.hpp"
#include "found_cmake.hpp"
#include "measurement/flags/flag_set.hpp"
#include "measurement/flags/row_findings.hpp"

namespace tool {

/// A program with Google Benchmark, of one source or a target of a CMake project, and where its builds are kept.
struct flags_source {
  std::filesystem::path file, folder;                              // file: the source, or the folder of the project
  std::vector<std::string> options = {}, include = {}, link = {};  // of every set
  std::string target = {};                                         // of the project; "": it is a source
  found_cmake cmake = {};                                          // what builds the target
  std::string filter = {};  // regular expression: benchmarks that a profile is taken of; "": all
};

/// A set of flags of one compiler, and what became of it.
struct flags_build {
  measurement::flag_set set;
  found_compiler compiler;
  std::vector<std::filesystem::path> programs = {};  // the same code, a little further on in each
  std::string failure = {};                          // why there are none
  bool kept = false;                                 // from an earlier time
  bool built_elsewhere = false;                      // nobody knows when or how long it took
  double compile_s = 0;                              // until the first program was linked
  std::uint64_t code_bytes = 0;
  bool flushes_denormals = false;           // sets FTZ and DAZ before main()
  std::optional<std::uint32_t> mxcsr = {};  // its control bits while it ran, as it says or was found with
  std::optional<measurement::build_roof> roof = {};
};

/// What makes a program of the source with a set's flags, in one step: the words of a command.
std::vector<std::string> build_command(const flags_build& set, const flags_source& of, const std::string& program);

/// How many compilers may run at once: one a core, and one a GiB of memory that is free.
unsigned compilers_at_once();

/// Builds every set that has neither a program nor a failure, as many at once as there are cores and GiB of memory,
/// unless the same compiler has made it of the same files before. What is built appears whole or not at all.
///
/// A set that does not compile, that needs what this CPU lacks or whose flags contradict each other gets the reason as
/// its failure; so do those that an interruption leaves over. Throws: ridgepoint::data_error if the folder cannot be
/// written.
void build_flags(std::vector<flags_build>& sets, const flags_source& of);

}  // namespace tool
