// SPDX-License-Identifier: MIT
#include "found_cmake.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <initializer_list>

#include <ridgepoint/core/error.hpp>

#include "found_program.hpp"

namespace tool {
namespace {

namespace rp = ridgepoint;
namespace fs = std::filesystem;

bool is_installed(std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [](const char* name) { return !found_program(name).empty(); });
}

/// Returns true if CMake would find the build program of a generator.
bool works(const std::string& generator) {
  if (generator.starts_with("Ninja")) return is_installed({"ninja", "ninja-build", "samu"});
  return generator == "Unix Makefiles" && is_installed({"make", "gmake", "smake"});
}

/// Returns an internal entry of a CMakeCache.txt; "" if missing.
std::string cache_entry(const fs::path& cache, const std::string& name) {
  const std::string begin = name + ":INTERNAL=";
  std::ifstream lines(cache);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(begin)) return line.substr(begin.size());
  return {};
}

/// Returns the generator of the project's newest build folder that works here; "" if not found.
std::string configured_generator(const fs::path& project, const fs::path& own) {
  constexpr int deepest = 2;  // below the project: out/build/debug/CMakeCache.txt
  std::string generator;
  fs::file_time_type newest = fs::file_time_type::min();
  std::error_code failure;
  for (fs::recursive_directory_iterator at(project, fs::directory_options::skip_permission_denied, failure);
       !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    std::error_code gone;
    if (at->is_directory(gone)) {
      if (at.depth() > deepest || at->path() == own) at.disable_recursion_pending();
    } else if (at->path().filename() == "CMakeCache.txt" &&
               fs::equivalent(cache_entry(at->path(), "CMAKE_HOME_DIRECTORY"), project, gone)) {
      const fs::file_time_type time = at->last_write_time(gone);
      const std::string used = cache_entry(at->path(), "CMAKE_GENERATOR");
      if (gone || time < newest || !works(used)) continue;
      newest = time;
      generator = used;
    }
  }
  return generator;
}

}  // namespace

found_cmake find_cmake(const fs::path& project, const fs::path& own) {
  found_cmake found{.file = found_program("cmake"), .generator = {}};
  rp::require<rp::unsupported>(!found.file.empty(), "flags: cmake is not on the PATH; --target needs it");
  if (const char* chosen = std::getenv("CMAKE_GENERATOR"); chosen != nullptr && *chosen != '\0') {
    found.generator = chosen;
    return found;
  }
  found.generator = configured_generator(project, own);
  for (const char* usual : {"Ninja", "Unix Makefiles"})
    if (found.generator.empty() && works(usual)) found.generator = usual;
  rp::require<rp::unsupported>(!found.generator.empty(),
                               "flags: neither ninja nor make is on the PATH; --target needs one of them");
  return found;
}

}  // namespace tool
