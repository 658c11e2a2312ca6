// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "sweep_grid.hpp"

namespace tool {

/// Options of a sweep of a grid over machines.
struct machine_sweep {
  std::string on = "host", software = "tensorflow", out = ".";
  int threads = 0;
  double step_seconds = 1;              // of steps per point and number of threads
  double limit_s = 60;                  // of a measured point
  double budget_s = 0;                  // of the sweep; 0: no limit
  std::int64_t fed_per_s = 0;           // samples that a GPU's or TPU's host prepares; 0: as the model's host
  std::uint64_t shard = 1, shards = 1;  // points whose hash is shard − 1 modulo shards
};

/// Adds a row for each point and machine to DIR/sweep_NAME.jsonl, unless the file has it. Points of the host are
/// measured in child processes. Prints a summary and writes its page, DIR/sweep_NAME.html. Returns the exit code.
/// Throws: value_error for a machine that cannot be modelled; as machines_named() and sweep_file.
int sweep_machines(const sweep_grid& grid, const machine_sweep& o);

/// Measures a point in this process and prints its row: the child process of sweep_machines(), and by hand the way to
/// repeat one row.
int sweep_here(const sweep_point& point, const machine_sweep& o);

/// Parses "90s", "20min", "2h" or a number of seconds; NaN for another text.
[[nodiscard]] double seconds_in(const std::string& text);

}  // namespace tool
