// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measurement/flags/results.hpp"

namespace tool {

/// A set of flags in the rounds, and its programs, which alternate.
struct flags_contender {
  measurement::set_rounds measured;
  std::vector<std::filesystem::path> programs;
  std::size_t first = 0;                    // which program begins
  std::optional<std::uint32_t> mxcsr = {};  // control bits, if the program reports them
};

/// How long to measure: rounds until every interval is narrow or the time is over, and `least` rounds or more.
struct flags_rounds_options {
  static constexpr int usual_least = 10, most_repetitions = 10;

  int least = 0;              // 0: 10, or as many as the rank test needs, which grows with the rows
  double most_s = 120;        // for all rounds
  double limit_s = 120;       // of a program's run
  double benchmark_s = 0.03;  // per benchmark and run, about, in up to most_repetitions repetitions
  std::string metric = "real_time";
  std::string filter = {};  // regular expression; "": all benchmarks
  int core = -1;            // to run on; -1: all
  std::uint64_t seed = 1;   // of the run orders and the environment sizes
  ridgepoint::study::comparison_options judging = {.pairing = ridgepoint::study::pairing::by_round};
  std::function<void(int round, std::size_t run)> progress = [](int, std::size_t) {};
};

/// The report of a program about its benchmarks: only times, or numerical checks as well. Our own programs take long
/// for the checks and read RIDGEPOINT_FLAGS.
enum class telling { time, all };

/// Returns the variables of this process without those that configure Google Benchmark.
std::vector<std::string> benchmark_environment(telling what);

/// Why the rounds ended.
enum class flags_end { narrow, time_over, interrupted };

/// Compares every benchmark, or `only` these, of every contender with the first: measurement::judged_rows().
std::vector<measurement::flags_row> judged_rows(const std::vector<flags_contender>& field,
                                                const ridgepoint::study::comparison_options& judging,
                                                const std::vector<std::string>& only = {});

/// Round 0 collects the numerical checks. In every other round each contender's program runs once, in a newly drawn
/// order, with an environment of random size, which moves its stack. The sample of a benchmark is its fastest
/// repetition, since other load only makes it slower. Long iterations get fewer repetitions. After `least` rounds a
/// benchmark whose intervals are all narrow is left out to save time for the others: a filter names the rest; if a
/// program ignores the filter, all benchmarks run on. The first contender is the base. A contender that crashes, hangs
/// or has no result gets the reason as its failure and is left out from then on. An interrupted round does not count.
/// Throws: ridgepoint::backend_error if the base fails.
flags_end take_rounds(std::vector<flags_contender>& field, const flags_rounds_options& options);

}  // namespace tool
