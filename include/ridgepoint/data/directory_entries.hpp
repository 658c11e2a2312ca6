// SPDX-License-Identifier: MIT
#pragma once

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <ridgepoint/core/files.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Returns the entries of a directory in the order of their names, without names that begin with a dot.
/// Throws: data_error if the directory cannot be read.
[[nodiscard]] inline std::vector<std::string> directory_entries(const std::string& directory) {
  struct close {
    void operator()(DIR* open) const noexcept { ::closedir(open); }
  };
  const std::unique_ptr<DIR, close> open(::opendir(directory.c_str()));
  require<data_error>(open != nullptr, directory, ": cannot be opened; must be a readable directory");
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(open.get()))
    if (const std::string_view name = entry->d_name; !name.starts_with('.')) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
