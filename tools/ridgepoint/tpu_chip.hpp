// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <ridgepoint/mxu/chip_json.hpp>
#include <ridgepoint/mxu/chips.hpp>

namespace tool {

/// A published chip by name, or one from a file ending in .json. Throws: value_error, data_error.
inline ridgepoint::tpu::chip chip_named(const std::string& name) {
  return name.ends_with(".json") ? ridgepoint::tpu::load_chip(name) : ridgepoint::tpu::find_chip(name);
}

/// Throws: data_error if files can not be written into the directory; it is made if it does not exist.
inline std::filesystem::path made_directory(const char* who, const std::string& name) {
  const std::filesystem::path directory(name);
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  ridgepoint::require<ridgepoint::data_error>(!failure && std::filesystem::is_directory(directory), who, ": ", name,
                                              " can not be made: ", failure.message(), "; must be a directory");
  return directory;
}

}  // namespace tool
