// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include <ridgepoint/core/files.hpp>

#include "own_program.hpp"

namespace tool {

/// Returns the chart library for ridgepoint::page(): ../share/ridgepoint/vega.js relative to this program, in the build
/// folder as in the installed tree. Empty if missing; charts are then plain SVG.
inline std::string vega_bundle() {
  std::error_code failure;
  const auto file = own_program().parent_path().parent_path() / "share" / "ridgepoint" / "vega.js";
  if (!std::filesystem::is_regular_file(file, failure)) return {};
  return ridgepoint::read_file(file, 16 << 20);
}

}  // namespace tool
