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

/// A set of flags in the rounds, and its programs, which take turns.
struct flags_contender {
  measurement::set_rounds measured;
  std::vector<std::filesystem::path> programs;
  std::size_t first = 0;                    // which program begins
  std::optional<std::uint32_t> mxcsr = {};  // its control bits, if the program tells of them
};

/// How long what is measured: rounds until every interval is narrow or the time is over, but at least `least` of them.
struct flags_rounds_options {
  static constexpr int usual_least = 10, most_repetitions = 10;

  int least = 0;              // 0: 10, or as many as ranks need to tell, which grows with the rows
  double most_s = 120;        // for all rounds
  double limit_s = 120;       // of a program's run
  double benchmark_s = 0.03;  // of a benchmark in a run, about, in as many as most_repetitions repetitions
  std::string metric = "real_time";
  std::string filter = {};  // regular expression; "": all benchmarks
  int core = -1;            // to run on; -1: all
  std::uint64_t seed = 1;   // of the orders and the sizes of environments
  ridgepoint::study::comparison_options judging = {.pairing = ridgepoint::study::pairing::by_round};
  std::function<void(int round, std::size_t run)> progress = [](int, std::size_t) {};
};

/// What a program is to tell of its benchmarks: the time alone, or what is known of their numbers as well. Our own take
/// long for that, and look at RIDGEPOINT_FLAGS.
enum class telling { time, all };

/// The variables of this process but for those that steer Google Benchmark.
std::vector<std::string> benchmark_environment(telling what);

/// Why no more rounds were taken.
enum class flags_end { narrow, time_over, interrupted };

/// Every benchmark, or `only` these, with every contender against the first one: measurement::judged_rows().
std::vector<measurement::flags_row> judged_rows(const std::vector<flags_contender>& field,
                                                const ridgepoint::study::comparison_options& judging,
                                                const std::vector<std::string>& only = {});

/// Round 0 asks what is to be known of the numbers. In every other one each contender's program runs once, in an order
/// drawn anew, with an environment of random size, which moves its stack; the fastest of a benchmark's repetitions is
/// its sample, since what else a machine does makes slower only. There are fewer where iterations are long. After the
/// least of rounds a benchmark whose intervals are all narrow is left out, so that the others get its time: a filter
/// names them, and where a program does not heed it all run on. The first contender is the base. One that crashes,
/// hangs or has no result gets that as its failure and is left out from then on; an interrupted round does not count.
/// Throws: ridgepoint::backend_error if the base fails.
flags_end take_rounds(std::vector<flags_contender>& field, const flags_rounds_options& options);

}  // namespace tool
