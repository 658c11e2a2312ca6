// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "flags_build.hpp"

namespace tool {

/// Returns ../share/ridgepoint/flags relative to this program: ladders, and the default benchmark programs.
std::filesystem::path flags_folder();

/// A program and its selected benchmarks.
struct shipped_benchmarks {
  flags_source source;        // without a folder
  std::string filter = {};    // regular expression; "": all benchmarks
  bool every_core = false;    // some benchmarks are multithreaded
  double benchmark_s = 0.03;  // per benchmark and round, by default
};

/// Returns "kernels": definitions and kernels at study shapes; or the training step of a network; or "study-d": those
/// of seven networks. `include` comes first.
/// Throws: ridgepoint::value_error for another name; ridgepoint::data_error if the program or the library's headers are
/// not installed.
shipped_benchmarks shipped_for(const std::string& what, const std::vector<std::string>& include);

/// Returns the program that measures the ceilings of its flags. Throws: as shipped_for().
flags_source ceilings_source(const std::vector<std::string>& include);

}  // namespace tool
