// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <ridgepoint/core/concat.hpp>
#include <ridgepoint/core/files.hpp>
#include <ridgepoint/data/drawn_files.hpp>

/// Data sets with a folder for each class.
namespace synthetic {

/// Returns a number of at least `digits` digits: "007" for 7 and 3.
[[nodiscard]] inline std::string padded(ridgepoint::index_t number, std::size_t digits) {
  const std::string all = ridgepoint::concat(number);
  return std::string(digits - std::min(all.size(), digits), '0') + all;
}

/// Returns whether the files have to be created, as ridgepoint::detail::begin_drawing(); then their folders exist, too.
/// Other files in these folders count as files of another origin.
/// Throws: as begin_drawing().
[[nodiscard]] inline bool begin_drawing(ridgepoint::detail::drawn_files files,
                                        const std::vector<std::string>& folders) {
  namespace detail = ridgepoint::detail;
  std::sort(files.names.begin(), files.names.end());
  for (const std::string& folder : folders) {
    const std::string path = detail::in_directory(files.directory, folder);
    if (!detail::status_of(path).directory) continue;
    for (const std::string& entry : detail::directory_entries(path))
      if (std::string name = ridgepoint::concat(folder, '/', entry);
          !std::binary_search(files.names.begin(), files.names.end(), name))
        files.others.push_back(std::move(name));
  }
  if (!detail::begin_drawing(files)) return false;
  for (const std::string& folder : folders) detail::make_directories(detail::in_directory(files.directory, folder));
  return true;
}

}  // namespace synthetic
