// SPDX-License-Identifier: MIT
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <ridgepoint/roofline/environment.hpp>

#include "bench_rounds.hpp"

namespace tool {

/// Settings of a comparison, for the head of the report.
struct bench_setup {
  std::string what, type, transpose, unit;  // "gemm", "f32", "nn", "FLOP/s"
  std::string command;                      // repeats this comparison
  int threads = 1, rounds = 15;
  std::uint64_t seed = 0;
  int random = 0;            // number of random shapes
  bool class_means = false;  // also print a mean per shape class
  std::string ours;
  std::vector<std::string> about;  // a line per implementation
  ridgepoint::environment at;      // at the start of the comparison
};

/// Prints the implementations and settings, then the table: per shape each implementation's rate, our ratio to the best
/// peer, the setting of both, and the geometric mean. Pre-packed B has its own table.
void print_bench(std::ostream& out, const bench_setup& setup, const std::vector<bench_row>& rows);

/// Prints a summary for many shapes: geometric mean, how many ratios are below 0.90 (of convolutions 0.85) and the
/// lowest, of all and by class; the ten worst with their rates; and the error of our planner.
void print_bench_summary(std::ostream& out, const bench_setup& setup, const std::vector<bench_row>& rows);

/// Returns the results as JSON, rates in the unit per second (FLOP/s for gemm).
std::string bench_json(const bench_setup& setup, const std::vector<bench_row>& rows);

}  // namespace tool
