// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include <ridgepoint/core/error.hpp>

/// \file
/// What files need of the file system. Names are std::string, which std::filesystem::path becomes by itself:
/// <filesystem> would be a tenth of what it costs to compile a program with this library.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// What is under a name, links followed.
struct file_status {
  bool exists = false, regular = false, directory = false;
  std::uint64_t bytes = 0;
  unsigned permissions = 0;
};
[[nodiscard]] inline file_status status_of(const std::string& name) noexcept {
  struct stat found {};
  if (::stat(name.c_str(), &found) != 0) return {};
  return {.exists = true,
          .regular = S_ISREG(found.st_mode),
          .directory = S_ISDIR(found.st_mode),
          .bytes = static_cast<std::uint64_t>(found.st_size),
          .permissions = found.st_mode & 07777U};
}
[[nodiscard]] inline std::string in_directory(std::string_view directory, std::string_view name) {
  return concat(directory, directory.empty() || directory.ends_with('/') ? "" : "/", name);
}
/// The directory and those it is in, where they are not there yet.
/// Throws: data_error with the system's reason.
inline void make_directories(const std::string& directory) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = directory.find('/', end + 1);
    const std::string part = directory.substr(0, end);
    if (part.empty() || ::mkdir(part.c_str(), 0777) == 0 || status_of(part).directory) continue;
    throw data_error(concat(directory, " cannot be made: ", std::generic_category().message(errno)));
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
