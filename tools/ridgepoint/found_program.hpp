// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace tool {

/// Returns the program of that name on the PATH, or the named file. Empty if no executable is found.
[[nodiscard]] std::filesystem::path found_program(const std::string& name);

}  // namespace tool
