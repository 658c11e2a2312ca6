// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace tool {

/// A folder of its own that is gone with this object.
class temporary_folder {
 public:
  /// Throws: ridgepoint::data_error if there is no place for it.
  temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tool
