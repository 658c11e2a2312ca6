// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bounded_process.hpp"

namespace tool {

/// A running program, without standard input, in its own session. The destructor kills the program and its children in
/// that session.
class launched_process {
 public:
  /// `before`: called with the new process before it executes the program; must not throw.
  /// Throws: ridgepoint::backend_error if the system has no process or pipe left.
  launched_process(
      std::vector<std::string> command, std::vector<std::string> environment, const process_limits& limits,
      const std::function<void(pid_t)>& before = [](pid_t) {});
  launched_process(const launched_process&) = delete;
  launched_process& operator=(const launched_process&) = delete;
  ~launched_process();

  [[nodiscard]] pid_t id() const { return id_; }
  /// Waits up to `most` for output, and takes the available output.
  void take_output(std::chrono::milliseconds most);
  /// Kills the process if its time is over or this program is interrupted (interruption.hpp); returns true if so.
  bool must_end();
  /// Kills it.
  void kill_as(process_end::kind how);
  /// Records the exit status from waitpid().
  void has_ended(int status);
  /// Returns how the process ended, with the rest of its output. Kills remaining processes of the session.
  process_end end();

 private:
  /// The read end of a pipe, and the data read so far.
  struct reading_end {
    int file = -1;
    std::string* to = nullptr;
  };
  /// Returns the number of bytes read.
  std::size_t take(reading_end& from) const;
  void close_all();

  process_limits limits_;
  pid_t id_ = -1;
  bool over_ = false;
  std::chrono::steady_clock::time_point deadline_;
  process_end end_;
  reading_end ends_[2];
};

}  // namespace tool
