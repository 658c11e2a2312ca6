// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <ridgepoint/core/files.hpp>
#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Called repeatedly with the number of images, characters or reviews written so far, and the total.
using data_progress = std::function<void(index_t done, index_t total)>;

namespace detail {

/// Data files created in a folder. A note next to them records their origin, so that other options recreate them, and
/// files of another origin are never overwritten.
struct drawn_files {
  std::string what;  // "synthetic digits", for messages
  std::string directory;
  std::string note;                 // file name of the note
  std::string origin;               // contents of the note
  std::vector<std::string> names;   // of the files
  std::vector<std::string> others;  // other file names that their reader accepts
};

/// Returns whether the files have to be created; then the folder exists with the new note, and files of other options
/// are deleted.
/// Throws: data_error if the folder cannot be written or holds data files without such a note.
[[nodiscard]] inline bool begin_drawing(const drawn_files& f) {
  const auto file = [&](const std::string& name) { return in_directory(f.directory, name); };
  const auto count = [&](const std::vector<std::string>& names) {
    return std::count_if(names.begin(), names.end(), [&](const auto& name) { return status_of(file(name)).exists; });
  };
  const bool noted = status_of(file(f.note)).exists, same = noted && read_file(file(f.note), 4096) == f.origin;
  const auto ours = count(f.names), others = count(f.others);
  if (same && ours == static_cast<std::ptrdiff_t>(f.names.size())) return false;
  require<data_error>(others == 0 && (noted || ours == 0), f.what, ": ", f.directory,
                      " holds data files of another origin; must be empty, or hold ", f.what);
  make_directories(f.directory);
  if (same) return true;
  for (const std::string& name : f.names) std::remove(file(name).c_str());
  write_file(file(f.note), f.origin);
  return true;
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
