// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// "0.1.0". For the preprocessor: RIDGEPOINT_VERSION, which is major * 10000 + minor * 100 + patch.
inline constexpr std::string_view version = RIDGEPOINT_VERSION_STRING;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
