// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bounded_process.hpp"

namespace tool {

/// A program that runs, without standard input, in a session of its own. It and what it started there are gone with
/// this object.
class launched_process {
 public:
  /// `before`: what is done with the new process before it becomes the program; must not throw.
  /// Throws: ridgepoint::backend_error if the system has no process or pipe left.
  launched_process(
      std::vector<std::string> command, std::vector<std::string> environment, const process_limits& limits,
      const std::function<void(pid_t)>& before = [](pid_t) {});
  launched_process(const launched_process&) = delete;
  launched_process& operator=(const launched_process&) = delete;
  ~launched_process();

  [[nodiscard]] pid_t id() const { return id_; }
  /// Waits for output, but not longer than this, and takes what is there.
  void take_output(std::chrono::milliseconds most);
  /// Kills it if its time is over or this program is interrupted (interruption.hpp); says whether it had to.
  bool must_end();
  /// Kills it.
  void kill_as(process_end::kind how);
  /// Notes how it ended: `status` is what waitpid() said.
  void has_ended(int status);
  /// How it ended, with the rest of what it wrote. What it may have left behind is killed.
  process_end end();

 private:
  /// The end of a pipe that is read, and what came out of it so far.
  struct reading_end {
    int file = -1;
    std::string* to = nullptr;
  };
  /// How many bytes it read.
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
