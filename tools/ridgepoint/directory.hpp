// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <ridgepoint/core/error.hpp>

namespace tool {

/// Creates the directory a command writes into, if it does not exist. Throws: data_error if that fails.
inline std::filesystem::path made_directory(const char* who, const std::string& name) {
  std::filesystem::path directory(name);
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  ridgepoint::require<ridgepoint::data_error>(!failure && std::filesystem::is_directory(directory), who, ": ", name,
                                              " cannot be created: ", failure.message(), "; must be a directory");
  return directory;
}

/// Returns the directory of the data: `given`, or the one below `out` for synthetic data.
[[nodiscard]] inline std::string data_directory(const std::string& given, const std::filesystem::path& out = {}) {
  return given.empty() ? (out / "data").lexically_normal().string() : given;
}

}  // namespace tool
