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

/// What `ridgepoint flags` found out: the sets that were asked for, the rounds of those that have a program, the base
/// first and once more behind it, and every benchmark with every set against the base.
struct flags_result {
  flags_source source;
  std::vector<flags_build> builds;
  std::vector<flags_contender> field;
  std::vector<measurement::flags_row> rows = {};
  flags_end end = flags_end::narrow;
  flags_rounds_options how;
  ridgepoint::environment at = {};
  std::string about_hot_loops = {};  // why some are not known

  [[nodiscard]] const measurement::set_rounds& base() const { return field[0].measured; }
  [[nodiscard]] const measurement::set_rounds& base_again() const { return field[1].measured; }
};

/// Why a set has no rows; "" if it has.
std::string failure_of(const flags_result& result, const flags_build& build);
/// "flushes denormals: FTZ, DAZ": what MXCSR says, or else the program; "" if it does not.
std::string flushing_of(const flags_build& build);

/// How many rounds there were and why no more, what the base against itself says of the noise: a line each.
std::vector<std::string> flags_summary(const flags_result& result);

/// The sets: code, time to compile, flags; or why there is no program or no result.
void print_flags_builds(std::ostream& out, const flags_result& result);

/// The rows, how many there are of each verdict, what the base against itself says of the noise.
void print_flags_rows(std::ostream& out, const flags_result& result);

/// A JSON document, schema "ridgepoint.flags", version 1.
std::string flags_json(const flags_result& result);

/// What is broken of the rules, a line each: "gemm/1024: avx2/base >= 2.0: is 1.52, 1.49 … 1.55".
std::vector<std::string> broken_rules(const std::vector<measurement::rule>& rules, const flags_result& result);

}  // namespace tool
