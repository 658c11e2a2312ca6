// SPDX-License-Identifier: MIT
#include "temporary_folder.hpp"

#include <stdlib.h>

#include <string>
#include <system_error>

#include <ridgepoint/core/error.hpp>

namespace tool {

namespace rp = ridgepoint;

temporary_folder::temporary_folder() {
  std::error_code failure;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failure);
  rp::require<rp::data_error>(!failure, "temporary files: ", failure.message(), "; TMPDIR must be a folder");
  std::string name = (place / "ridgepoint-").string() + std::string(6, 'X');  // filled in by mkdtemp
  rp::require<rp::data_error>(::mkdtemp(name.data()) != nullptr, name, ": cannot be created; must be a folder's name");
  path_ = name;
}
temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tool
