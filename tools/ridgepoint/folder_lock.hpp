// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace tool {

/// Keeps a folder to this program while it lives, or until the program ends, however it does.
class folder_lock {
 public:
  /// `who` is what messages begin with.
  /// Throws: ridgepoint::data_error if another program has the folder, or if nothing can be written there.
  folder_lock(const char* who, const std::filesystem::path& folder);
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;
  ~folder_lock();

 private:
  int file_ = -1;
};

}  // namespace tool
