// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// A process that answers one line with one line (measurement/peers/peer.hpp).
///
/// Its environment is this process's without the variables that configure BLAS libraries, oneDNN and OpenMP, plus the
/// given ones. Between questions the process is stopped, so that its idle threads do not slow the next process.
class bench_child {
 public:
  /// Throws: ridgepoint::backend_error if the system has no process or pipe left.
  bench_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
              const std::vector<std::string>& environment);
  bench_child(bench_child&& other) noexcept;
  bench_child& operator=(bench_child&&) = delete;
  ~bench_child();

  /// Returns the answer. Throws: ridgepoint::backend_error if the program has ended or is silent for ten minutes.
  std::string ask(const std::string& question);

  /// Runs the program to its end and returns its output. Throws: ridgepoint::backend_error unless it exits with 0.
  static std::string output(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment);

 private:
  bool read_more();
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string received_;
};

}  // namespace tool
