// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <ridgepoint/roofline/environment.hpp>

#include "versus_rounds.hpp"

namespace tool {

/// What was compared and how, for the head of the report.
struct versus_setup {
  std::string what, type, transpose, unit;  // "gemm", "f32", "nn", "FLOP/s"
  int threads = 1, rounds = 15;
  std::string ours;
  std::vector<std::string> about;  // a line per implementation
  ridgepoint::environment at;      // when the comparison began
};

/// The table: per shape each one's rate, our ratio to the best peer, and the geometric mean.
void print_versus(std::ostream& out, const versus_setup& setup, const std::vector<versus_row>& rows);

/// The same as JSON, rates in the unit per second (FLOP/s for gemm).
std::string versus_json(const versus_setup& setup, const std::vector<versus_row>& rows);

}  // namespace tool
