// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/gpu/chip.hpp>

namespace tool {

/// Returns the requested format, "f32", "tf32" or "f16"; by default f16 on chips with 16-bit units, else f32.
inline ridgepoint::gpu::number_format gpu_format(std::string_view asked, const ridgepoint::gpu::chip& on) {
  using enum ridgepoint::gpu::number_format;
  if (asked.empty()) return on.f16_flop_per_s > 0 ? f16 : f32;
  return asked == "f32" ? f32 : asked == "tf32" ? tf32 : f16;
}

}  // namespace tool
