// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace tool {

/// A unique folder that is removed with this object.
class temporary_folder {
 public:
  /// Throws: ridgepoint::data_error if it cannot be created.
  temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder();
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tool
