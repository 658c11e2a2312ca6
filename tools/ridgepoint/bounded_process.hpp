// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tool {

/// Time limit of a process, its core, and how much of each output stream is kept.
struct process_limits {
  double seconds = 600;
  int core = -1;  // -1: the system chooses
  std::size_t most_bytes = 256 << 10;
};

/// How a process ended, and the first bytes of its output.
struct process_end {
  enum class kind { exited, killed, late, interrupted };
  kind how = kind::exited;
  int code = 0;                     // exit code or signal
  std::string printed, complained;  // standard output and error

  [[nodiscard]] bool well() const { return how == kind::exited && code == 0; }
  /// "exit code 1", "killed by signal 11 (Segmentation fault)", "took more than 60 s", "interrupted".
  [[nodiscard]] std::string text(const process_limits& limits) const;
};

/// Runs a program to its end, without standard input, in its own session. At the time limit, or if this program is
/// interrupted (interruption.hpp), kills the session: the program and its children, except those that began another
/// session.
///
/// `environment`: all variables, NAME=value. A program that cannot be executed ends with exit code 127.
/// Throws: ridgepoint::backend_error if the system has no process or pipe left.
process_end run_bounded(std::vector<std::string> command, std::vector<std::string> environment,
                        const process_limits& limits = {});

/// Returns the environment variables of this process.
std::vector<std::string> own_environment();

}  // namespace tool
