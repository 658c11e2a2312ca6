// SPDX-License-Identifier: MIT
#pragma once

#include "flags_build.hpp"

namespace tool {

/// A program with Google Benchmark that was built elsewhere, and the set of flags that it stands for.
struct named_program {
  std::string set;
  std::filesystem::path file;
};

/// "avx2+fma=build/my_bench.avx2" and the like. A name may have a = itself: the last one before a slash ends it.
///
/// Throws: ridgepoint::value_error unless each is NAME=FILE, with names that differ; ridgepoint::data_error if a file
/// cannot be executed.
std::vector<named_program> parse_programs(const std::vector<std::string>& texts);

/// The file of NAME=FILE.
std::string file_of(const std::string& program);

/// A set for each program; nothing is known of its flags.
std::vector<flags_build> sets_of(const std::vector<named_program>& programs);

/// Gives the sets that were built elsewhere their programs. One that has none, and one that this CPU cannot run, gets
/// the reason as its failure. Throws: ridgepoint::value_error if a program is of no set.
void attach(std::vector<flags_build>& sets, const std::vector<named_program>& programs);

}  // namespace tool
