// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <system_error>

namespace measurement {

/// Returns the path that a file will have once it exists: dangling symbolic links are followed.
inline std::filesystem::path place_of(std::filesystem::path name) {
  constexpr int most_links = 40;  // as in Linux: more are a cycle
  std::error_code failure;
  for (int links = 0; links < most_links && std::filesystem::is_symlink(name, failure); ++links)
    name = name.parent_path() / std::filesystem::read_symlink(name, failure);
  return std::filesystem::weakly_canonical(std::filesystem::absolute(name, failure), failure);
}

/// Returns true if two names are one regular file, or will be once it is written: x and ./x, a symbolic or a hard
/// link. Devices and pipes do not count: two results may go to /dev/null.
inline bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code failure;
  const std::filesystem::file_status of_a = std::filesystem::status(a, failure),
                                     of_b = std::filesystem::status(b, failure);
  if (!std::filesystem::exists(of_a) && !std::filesystem::exists(of_b)) return place_of(a) == place_of(b);
  return std::filesystem::is_regular_file(of_a) && std::filesystem::is_regular_file(of_b) &&
         std::filesystem::equivalent(a, b, failure);
}

}  // namespace measurement
