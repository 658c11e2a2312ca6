// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/data/grey_image.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The square in the middle of an image: y(i, j) = x(i + ⌊(h − side)/2⌋, j + ⌊(w − side)/2⌋), side × side.
///
/// Throws: shape_error unless 1 <= side <= h and side <= w.
/// Example: rp::clip_centre(image, 320)      // of 480 × 480: rows and columns 80 to 399
[[nodiscard]] inline grey_image clip_centre(const grey_image& image, index_t side) {
  require<shape_error>(side >= 1 && side <= image.height && side <= image.width, "clip_centre: side is ", side,
                       " of an image of ", image.height, " x ", image.width, "; must be >= 1 and fit into it");
  grey_image clipped = black_image(side, side);
  const index_t top = (image.height - side) / 2, left = (image.width - side) / 2;
  for (index_t y = 0; y < side; ++y)
    std::copy_n(image.pixels.data() + (top + y) * image.width + left, side, clipped.pixels.data() + y * side);
  return clipped;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
