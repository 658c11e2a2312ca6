// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace tool {

/// A file that this program alone uses: locked for this object's lifetime, or until the program ends in any way.
class locked_file {
 public:
  /// Opens or creates the file for reading and for writing at its end. `who`: prefix of messages; `instead`: what a
  /// second program must do.
  /// Throws: ridgepoint::data_error if another program holds the lock, or if the file cannot be written.
  locked_file(const char* who, const std::filesystem::path& file, const char* instead);
  locked_file(const locked_file&) = delete;
  locked_file& operator=(const locked_file&) = delete;
  ~locked_file();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_ = -1;
};

}  // namespace tool
