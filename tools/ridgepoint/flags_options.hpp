// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flags_build.hpp"
#include "flags_rounds.hpp"
#include "flags_shipped.hpp"
#include "measurement/flags/rule.hpp"

namespace tool {

/// Options of `ridgepoint flags`.
struct flags_options {
  std::string what = "kernels", source, target, project = ".", build = "ridgepoint-flags", base, json, html;
  std::vector<std::string> programs, sets{"isa"}, compilers{"c++"}, require, include, link, option;
  double minutes = 2;
  std::optional<double> benchmark_s;
  bool every_core = false, yes = false, sets_are_reported = false, no_roofs = false, no_hot_loops = false;
  flags_rounds_options rounds;
};

/// Returns all sets to build and all sets built elsewhere, the base first.
/// Throws: ridgepoint::value_error and ridgepoint::data_error for a ladder, a compiler, a program or a base that does
/// not exist.
std::vector<flags_build> wanted_sets(const flags_options& o);

/// Throws: ridgepoint::value_error for a text that is not a rule, and for a rule about an unknown set.
std::vector<measurement::rule> parse_rules(const flags_options& o, const std::vector<flags_build>& sets);

/// Returns the program to measure and which of its benchmarks. Throws: ridgepoint::data_error for a file or a project
/// that does not exist, and as shipped_for().
shipped_benchmarks wanted_benchmarks(const flags_options& o);

}  // namespace tool
