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
  std::string command;                      // that compares the same again
  int threads = 1, rounds = 15;
  std::uint64_t seed = 0;
  int random = 0;            // how many shapes were drawn
  bool class_means = false;  // a mean for each class of shapes, too
  std::string ours;
  std::vector<std::string> about;  // a line per implementation
  ridgepoint::environment at;      // when the comparison began
};

/// Who was compared and how; then the table: per shape each one's rate, our ratio to the best peer, the setting of
/// both, and the geometric mean. Where B was packed beforehand is a table of its own.
void print_versus(std::ostream& out, const versus_setup& setup, const std::vector<versus_row>& rows);

/// The same in short, for many shapes: geometric mean, how many are below 0.90 (of convolutions 0.85) and the lowest,
/// of all and by class, the ten worst with their rates, and how far our planner is off.
void print_versus_summary(std::ostream& out, const versus_setup& setup, const std::vector<versus_row>& rows);

/// The same as JSON, rates in the unit per second (FLOP/s for gemm).
std::string versus_json(const versus_setup& setup, const std::vector<versus_row>& rows);

}  // namespace tool
