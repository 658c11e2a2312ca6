// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

/// Returns a file with the fuzzer's bytes, for readers that take a path.
inline std::filesystem::path as_file(const std::uint8_t* data, std::size_t size) {
  static const auto path = [] {
    const std::filesystem::path memory = "/dev/shm";
    const auto where = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    return where / ("ridgepoint-fuzz-" + std::to_string(getpid()));
  }();
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  return path;
}
