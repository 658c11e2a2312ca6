// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include <ridgepoint/data/grey_image.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Spreads the greys of an image so that each share of the scale has about as many pixels:
///   y = round(255 · (C(x) − C₀) / (n − C₀)), halves upwards,
/// C(x) the number of pixels that are at most x, C₀ that of pixels as dark as the darkest, n that of all. The darkest
/// grey becomes 0, the brightest 255; an image of one grey stays as it is.
///
/// Source: Gonzalez, Woods: Digital Image Processing, 3.3; with C₀ taken off as OpenCV's equalizeHist does.
/// Example: rp::equalise_histogram({1, 4, {7, 7, 8, 200}})      // 0, 0, 128, 255
[[nodiscard]] inline grey_image equalise_histogram(grey_image image) {
  std::array<index_t, 256> pixels_at_most{};
  for (const std::uint8_t grey : image.pixels) ++pixels_at_most[grey];
  const index_t darkest =
      *std::find_if(pixels_at_most.begin(), pixels_at_most.end() - 1, [](index_t count) { return count > 0; });
  for (std::size_t grey = 1; grey < 256; ++grey) pixels_at_most[grey] += pixels_at_most[grey - 1];
  const index_t others = pixels_at_most[255] - darkest;
  if (others == 0) return image;
  for (std::uint8_t& grey : image.pixels)
    grey = static_cast<std::uint8_t>((2 * 255 * (pixels_at_most[grey] - darkest) + others) / (2 * others));
  return image;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
