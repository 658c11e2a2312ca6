// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <ridgepoint/core/files.hpp>

#include "measurement/same_file.hpp"

namespace tool {

/// The files of a command by name; "" for a file that is not requested.
struct command_files {
  std::vector<std::string> written;
  std::vector<std::string> read = {};  // files, and directories of data or sources
};

/// Returns true if a file is data or source code that commands read from a directory, directly or through a link.
[[nodiscard]] inline bool is_input_of(const std::string& file, const std::string& directory) {
  namespace fs = std::filesystem;
  constexpr std::string_view endings[] = {"-ubyte", ".gz", ".bin", ".png", ".txt",  ".csv",
                                          ".hpp",   ".h",  ".cpp", ".cc",  ".cmake"};
  constexpr int depth = 3;  // of data and projects; also ends a cycle of links
  constexpr auto how = fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) return false;
  for (fs::recursive_directory_iterator at(directory, how, failure), end; !failure && at != end;
       at.increment(failure)) {
    if (at.depth() >= depth) at.disable_recursion_pending();
    const std::string name = at->path().string();
    if (std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); }) &&
        measurement::same_file(name, file))
      return true;
  }
  return false;
}

/// Checks the files of a command before any work, without changing a file.
/// Throws: value_error if the command would overwrite a file that it reads, or write one file twice; data_error if a
/// file cannot be written. Skips pipes: their reader would take the end of the attempt for the end of the result.
inline void check_files(const command_files& files) {
  using ridgepoint::require, ridgepoint::value_error;
  for (auto file = files.written.begin(); file != files.written.end(); ++file) {
    if (file->empty()) continue;
    const auto is_file = [&](const std::string& other) {
      return !other.empty() && (measurement::same_file(*file, other) || is_input_of(*file, other));
    };
    const auto read = std::ranges::find_if(files.read, is_file);
    require<value_error>(read == files.read.end(), "write: ", *file, " would replace what is read from ",
                         read == files.read.end() ? "" : *read, "; must be another file");
    const auto before = std::find_if(files.written.begin(), file, is_file);
    require<value_error>(before == file, "write: ", *file, " would replace ", *before,
                         " of the same command; must be another file");
    std::error_code failure;
    if (!std::filesystem::is_fifo(*file, failure)) static_cast<void>(ridgepoint::atomic_file(*file));
  }
}

/// Returns the name if it is a JSON file; "" for a published machine or chip.
[[nodiscard]] inline std::string json_file(const std::string& name) { return name.ends_with(".json") ? name : ""; }

/// Accepts only an existing file or directory, or only an existing directory.
[[nodiscard]] inline CLI::Validator existing_path() {
  const auto refusal = [](const std::string& name) -> std::string {
    return ridgepoint::detail::status_of(name).exists ? "" : "is " + name + ": no such file or directory; must exist";
  };
  return {refusal, ""};
}
[[nodiscard]] inline CLI::Validator existing_directory() {
  const auto refusal = [](const std::string& name) -> std::string {
    return ridgepoint::detail::status_of(name).directory ? "" : "is " + name + ": no such directory; must exist";
  };
  return {refusal, ""};
}

}  // namespace tool
