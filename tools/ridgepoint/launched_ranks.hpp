// SPDX-License-Identifier: MIT
#pragma once

#include <iostream>
#include <optional>
#include <streambuf>

#include <ridgepoint/distributed/communicator.hpp>

namespace tool {

/// Connects the processes that mpirun started, if this is one of several.
/// Throws: unsupported if this build was made without that MPI; as mpi_communicator.
[[nodiscard]] std::optional<ridgepoint::any_communicator> launched_ranks(double timeout_s);

/// Returns this rank's share of the cores that this process may use; all of them if mpirun has bound each rank to cores
/// of its own.
[[nodiscard]] int threads_of_rank();

/// Discards standard output while it exists, on all ranks but the first.
class first_rank_output {
 public:
  explicit first_rank_output(const std::optional<ridgepoint::any_communicator>& ranks) {
    if (ranks && ranks->rank() > 0) before_ = std::cout.rdbuf(&nothing_);
  }
  first_rank_output(const first_rank_output&) = delete;
  first_rank_output& operator=(const first_rank_output&) = delete;
  ~first_rank_output() {
    if (before_ != nullptr) std::cout.rdbuf(before_);
  }

 private:
  struct nowhere : std::streambuf {
    int overflow(int character) override { return character; }
  };
  nowhere nothing_;
  std::streambuf* before_ = nullptr;
};

}  // namespace tool
