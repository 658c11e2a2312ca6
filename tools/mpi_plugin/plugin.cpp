// SPDX-License-Identifier: MIT
// Plugin entry point, compiled once for each MPI and loaded by tools/ridgepoint/launched_ranks.cpp.
#include <ridgepoint/distributed/mpi.hpp>

extern "C" __attribute__((visibility("default"))) void ridgepoint_mpi_plugin(double timeout_s,
                                                                             ridgepoint::any_communicator* made);
extern "C" void ridgepoint_mpi_plugin(double timeout_s, ridgepoint::any_communicator* made) {
  *made = ridgepoint::mpi_communicator({.timeout_s = timeout_s});
}
