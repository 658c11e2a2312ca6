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

/// A Google Benchmark program, built from one source or a target of a CMake project, and its build folder.
struct flags_source {
  std::filesystem::path file, folder;                              // file: the source, or the folder of the project
  std::vector<std::string> options = {}, include = {}, link = {};  // for every set
  std::string target = {};                                         // of the project; "": single source
  found_cmake cmake = {};                                          // builds the target
  std::string filter = {};  // regular expression: benchmarks for the profile; "": all
};

/// A set of flags for one compiler, with its build results.
struct flags_build {
  measurement::flag_set set;
  found_compiler compiler;
  std::vector<std::filesystem::path> programs = {};  // the same code at slightly different offsets
  std::string failure = {};                          // why `programs` is empty
  bool kept = false;                                 // reused from an earlier run
  bool built_elsewhere = false;                      // build time unknown
  double compile_s = 0;                              // until the first program was linked
  std::uint64_t code_bytes = 0;
  bool flushes_denormals = false;           // sets FTZ and DAZ before main()
  std::optional<std::uint32_t> mxcsr = {};  // control bits while it ran, as printed or sampled
  std::optional<measurement::build_roof> roof = {};
};

/// Returns the command that builds the source with a set's flags, in one step.
std::vector<std::string> build_command(const flags_build& set, const flags_source& of, const std::string& program);

/// Returns how many compilers may run at once: one per core, and one per GiB of free memory.
unsigned compilers_at_once();

/// Builds every set that has neither a program nor a failure, in parallel up to the number of cores and GiB of memory.
/// Reuses a build if the same compiler built it from the same files. A build appears complete or not.
///
/// A set that does not compile, that needs features this CPU lacks or whose flags contradict each other gets the reason
/// as its failure; so do the sets left unbuilt by an interruption. Throws: ridgepoint::data_error if the folder cannot
/// be written.
void build_flags(std::vector<flags_build>& sets, const flags_source& of);

}  // namespace tool
