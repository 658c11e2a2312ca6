// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/gpu/chip.hpp>

namespace tool {

/// The format that is asked for, "f32", "tf32" or "f16"; else 16 bits where the chip has units for that.
inline ridgepoint::gpu::number_format gpu_format(std::string_view asked, const ridgepoint::gpu::chip& on) {
  using enum ridgepoint::gpu::number_format;
  if (asked.empty()) return on.f16_flop_per_s > 0 ? f16 : f32;
  return asked == "f32" ? f32 : asked == "tf32" ? tf32 : f16;
}

}  // namespace tool
