// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include <ridgepoint/roofline/environment.hpp>

#include "flags_build.hpp"
#include "flags_rounds.hpp"
#include "measurement/flags/rule.hpp"

namespace tool {

/// The result of `ridgepoint flags`: all requested sets, the rounds of the sets that have a program (the base first,
/// then the base again), and every benchmark with every set against the base.
struct flags_result {
  flags_source source;
  std::vector<flags_build> builds;
  std::vector<flags_contender> field;
  std::vector<measurement::flags_row> rows = {};
  flags_end end = flags_end::narrow;
  flags_rounds_options how;
  ridgepoint::environment at = {};
  std::string about_hot_loops = {};  // why some are missing

  [[nodiscard]] const measurement::set_rounds& base() const { return field[0].measured; }
  [[nodiscard]] const measurement::set_rounds& base_again() const { return field[1].measured; }
};

/// Returns why a set has no rows; "" if it has rows.
std::string failure_of(const flags_result& result, const flags_build& build);
/// Returns "flushes denormals: FTZ, DAZ" from MXCSR or else from the program; "" if it does not flush them.
std::string flushing_of(const flags_build& build);

/// Returns a line each: the number of rounds and why they ended, and the noise of the base against itself.
std::vector<std::string> flags_summary(const flags_result& result);

/// Prints the sets: code size, compile time, flags; or why there is no program or no result.
void print_flags_builds(std::ostream& out, const flags_result& result);

/// Prints the rows, the number of rows per verdict, and the noise of the base against itself.
void print_flags_rows(std::ostream& out, const flags_result& result);

/// Returns a JSON document, schema "ridgepoint.flags", version 1.
std::string flags_json(const flags_result& result);

/// Returns the broken rules, a line each: "gemm/1024: avx2/base >= 2.0: is 1.52, 1.49 … 1.55".
std::vector<std::string> broken_rules(const std::vector<measurement::rule>& rules, const flags_result& result);

}  // namespace tool
