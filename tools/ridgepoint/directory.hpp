// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <ridgepoint/core/error.hpp>

namespace tool {

/// The directory a command writes into; made if it does not exist. Throws: data_error if it can not be.
inline std::filesystem::path made_directory(const char* who, const std::string& name) {
  std::filesystem::path directory(name);
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  ridgepoint::require<ridgepoint::data_error>(!failure && std::filesystem::is_directory(directory), who, ": ", name,
                                              " can not be made: ", failure.message(), "; must be a directory");
  return directory;
}

}  // namespace tool
