// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tool {

/// A program in a process of its own that answers one line with one line (measurement/peers/peer.hpp).
///
/// Its environment is this process's without the variables that steer BLAS libraries, oneDNN and OpenMP, plus the given
/// ones. Between two questions the process is stopped, so that its idle threads take nothing from the next one.
class versus_child {
 public:
  /// Throws: ridgepoint::backend_error if the system has no process or pipe left.
  versus_child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
               const std::vector<std::string>& environment);
  versus_child(versus_child&& other) noexcept;
  versus_child& operator=(versus_child&&) = delete;
  ~versus_child();

  /// The answer. Throws: ridgepoint::backend_error if the program has ended or says nothing for ten minutes.
  std::string ask(const std::string& question);

  /// Everything the program prints when it runs to its end. Throws: ridgepoint::backend_error unless it exits with 0.
  static std::string output(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment);

 private:
  bool read_more();
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string received_;
};

}  // namespace tool
