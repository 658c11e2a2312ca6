// SPDX-License-Identifier: MIT
#pragma once

#include "flags_build.hpp"

namespace tool {

/// A Google Benchmark program that was built elsewhere, and the set of flags it represents.
struct named_program {
  std::string set;
  std::filesystem::path file;
};

/// Parses "avx2+fma=build/my_bench.avx2" and the like. A name may contain =: the last one before a slash ends it.
///
/// Throws: ridgepoint::value_error unless each is NAME=FILE, with names that differ; ridgepoint::data_error if a file
/// cannot be executed.
std::vector<named_program> parse_programs(const std::vector<std::string>& texts);

/// Returns the file of NAME=FILE.
std::string file_of(const std::string& program);

/// Returns a set for each program, with unknown flags.
std::vector<flags_build> sets_of(const std::vector<named_program>& programs);

/// Assigns the programs to the sets that were built elsewhere. A set without a program, or that this CPU cannot run,
/// gets the reason as its failure. Throws: ridgepoint::value_error if a program belongs to no set.
void attach(std::vector<flags_build>& sets, const std::vector<named_program>& programs);

}  // namespace tool
