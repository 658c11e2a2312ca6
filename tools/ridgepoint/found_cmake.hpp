// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace tool {

/// CMake, and the generator of new build folders.
struct found_cmake {
  std::filesystem::path file;
  std::string generator;
};

/// Finds CMake and a generator whose build program is installed, in this order: $CMAKE_GENERATOR as it is; that of the
/// newest build folder within the project; Ninja; Unix Makefiles. Build folders in `own` do not count.
///
/// Throws: ridgepoint::unsupported if CMake, or both ninja and make, are missing.
[[nodiscard]] found_cmake find_cmake(const std::filesystem::path& project, const std::filesystem::path& own);

}  // namespace tool
