// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "flags_build.hpp"

namespace tool {

/// ../share/ridgepoint/flags beside this program: ladders, and the programs that are measured unless there is another.
std::filesystem::path flags_folder();

/// Which benchmarks of which program are measured.
struct shipped_benchmarks {
  flags_source source;        // without a folder
  std::string filter = {};    // regular expression; "": all benchmarks
  bool every_core = false;    // some of them have several threads
  double benchmark_s = 0.03;  // of each in a round, unless somebody says how long
};

/// "kernels": definitions and kernels at study shapes; or the training step of a network, or of the seven of study D
/// for "study-d". `include` come first.
/// Throws: ridgepoint::value_error for another name; ridgepoint::data_error if the program or the library's headers are
/// not where they are installed.
shipped_benchmarks shipped_for(const std::string& what, const std::vector<std::string>& include);

/// The program that measures the ceilings of its flags. Throws: as shipped_for().
flags_source ceilings_source(const std::vector<std::string>& include);

}  // namespace tool
