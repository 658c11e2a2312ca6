// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/data/grey_image.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Distance from middle grey: y = |x − 128|, 0 … 128.
///
/// Where light falls from one side, the flank of a thing that looks to it is bright and the other dark, as far from the
/// ground's grey: what is left is how steep it is, whichever side the light comes from.
/// Example: rp::invert_shadows({1, 3, {0, 128, 255}})      // 128, 0, 127
[[nodiscard]] inline grey_image invert_shadows(grey_image image) {
  for (std::uint8_t& grey : image.pixels) grey = static_cast<std::uint8_t>(grey < 128 ? 128 - grey : grey - 128);
  return image;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
