// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace tool {

/// Locks a folder for this object's lifetime, or until the program ends in any way.
class folder_lock {
 public:
  /// `who`: prefix of messages.
  /// Throws: ridgepoint::data_error if another program holds the lock, or if the folder cannot be written.
  folder_lock(const char* who, const std::filesystem::path& folder);
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;
  ~folder_lock();

 private:
  int file_ = -1;
};

}  // namespace tool
