// SPDX-License-Identifier: MIT
// A program whose ranks fail in a way that mpi_failures.sh selects; prints the error of each rank.
#include <mpi.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ridgepoint/distributed/mpi.hpp>

namespace {

void run(const std::string& failure) {
  ridgepoint::mpi_communicator with({.timeout_s = 1});
  std::vector<float> values(failure == "large" ? 100'000 : 10);
  with.wait(with.start_all_reduce(std::span(values)));
  const bool last = with.rank() + 1 == with.size();
  if (last && failure == "exception") throw std::runtime_error("a rank's own error");
  if (last && failure == "late") std::this_thread::sleep_for(std::chrono::seconds(3));
  if (last && failure == "killed") std::raise(SIGKILL);
  if (last && failure == "other call") with.barrier();
  if (last && failure == "end") return;
  if (last && failure == "large") values.resize(99'999);
  with.wait(with.start_all_reduce(std::span(values)));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string failure = argc > 1 ? argv[1] : "";
  int provided = 0;
  if (failure == "single") MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  if (failure == "initialised") MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  try {
    run(failure);
  } catch (const std::exception& e) {
    std::cout << e.what() << std::endl;
    return 3;
  }
  std::cout << "no error" << std::endl;
  if (failure == "initialised") MPI_Finalize();
  return 0;
}
