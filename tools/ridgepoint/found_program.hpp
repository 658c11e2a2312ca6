// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace tool {

/// The program of that name on the PATH, or the file that is named. Empty if there is none that can be executed.
[[nodiscard]] std::filesystem::path found_program(const std::string& name);

}  // namespace tool
