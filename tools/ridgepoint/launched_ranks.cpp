// SPDX-License-Identifier: MIT
// The component ridgepoint::mpi, loaded on demand: the command also runs without MPI, and with each of several.
#include "launched_ranks.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <ridgepoint/core/error.hpp>
#include <ridgepoint/core/team.hpp>

#include "own_program.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;

/// Returns a number that mpirun passes in the environment; 0 if it does not.
int passed(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

struct launcher {
  std::string_view mpi;   // as in the plugin's name
  std::string_view name;  // in messages
  const char *ranks, *ranks_on_host;
};
constexpr launcher launchers[] = {
    {"openmpi", "Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"mpich", "MPICH", "PMI_SIZE", "MPI_LOCALNRANKS"},
};

}  // namespace

std::optional<rp::any_communicator> launched_ranks(double timeout_s) {
  for (const launcher& by : launchers) {
    const int ranks = passed(by.ranks);
    if (ranks < 2) continue;
    const auto file = own_program().parent_path().parent_path() / "lib" / "ridgepoint" /
                      rp::concat("libridgepoint_mpi_", by.mpi, ".so");
    rp::require<rp::unsupported>(std::filesystem::exists(file), "mpirun of ", by.name, " started ", ranks,
                                 " ranks, but this build was made without ", by.name, ": ", file.string(),
                                 " is missing");
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);  // MPI loads parts of itself
    void* const entry = library == nullptr ? nullptr : ::dlsym(library, "ridgepoint_mpi_plugin");
    if (entry == nullptr) throw rp::unsupported(rp::concat(by.name, " cannot be loaded: ", ::dlerror()));
    rp::any_communicator made = rp::self_communicator();
    reinterpret_cast<void (*)(double, rp::any_communicator*)>(entry)(timeout_s, &made);
    return made;
  }
  return std::nullopt;
}

int threads_of_rank() {
  int ranks = 1;
  for (const launcher& by : launchers) ranks = (std::max)(ranks, passed(by.ranks_on_host));
  const int cores = rp::available_threads();
  const bool bound = static_cast<long>(cores) * ranks <= ::sysconf(_SC_NPROCESSORS_ONLN);
  return bound ? cores : (std::max)(1, cores / ranks);
}

}  // namespace tool
