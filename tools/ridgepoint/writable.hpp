// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <ridgepoint/core/atomic_file.hpp>

namespace tool {

/// Before the work: throws data_error if the file can not be written, and leaves what is there as it is. No file: "".
/// A pipe is left alone: its reader would take the end of the attempt for the end of the result.
inline void check_writable(const std::string& file) {
  std::error_code failure;
  if (!file.empty() && !std::filesystem::is_fifo(file, failure)) static_cast<void>(ridgepoint::atomic_file(file));
}

}  // namespace tool
