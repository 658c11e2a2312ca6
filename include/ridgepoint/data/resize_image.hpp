// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/data/grey_image.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// An image of another size: each new pixel is the mean of the area it covers, halves rounded upwards.
///   y(i, j) = Σ_{p,q} a(i, p; h, height) · a(j, q; w, width) · x(p, q) / (h · w),
/// a(i, p; h, height) the length that [i·h, (i+1)·h) and [p·height, (p+1)·height) have in common.
///
/// From 320 × 320 to 64 × 64 that is the mean of 5 × 5 pixels. Larger images repeat pixels, and blend where they meet.
/// Throws: shape_error unless both images have pixels.
/// Example: rp::resize_image(image, 64, 64)
[[nodiscard]] inline grey_image resize_image(const grey_image& image, index_t height, index_t width) {
  const index_t h = image.height, w = image.width;
  require<shape_error>(h >= 1 && w >= 1 && height >= 1 && width >= 1, "resize_image: from ", h, " x ", w, " to ",
                       height, " x ", width, "; must be >= 1 each");
  grey_image resized = black_image(height, width);
  const auto common = [](index_t i, index_t extent, index_t p, index_t wanted) {
    return (std::min)((i + 1) * extent, (p + 1) * wanted) - (std::max)(i * extent, p * wanted);
  };
  for (index_t i = 0; i < height; ++i)
    for (index_t j = 0; j < width; ++j) {
      index_t sum = 0;
      for (index_t p = i * h / height; p * height < (i + 1) * h; ++p) {
        index_t row = 0;
        for (index_t q = j * w / width; q * width < (j + 1) * w; ++q) row += common(j, w, q, width) * image.at(p, q);
        sum += common(i, h, p, height) * row;
      }
      resized.at(i, j) = static_cast<std::uint8_t>((2 * sum + h * w) / (2 * h * w));
    }
  return resized;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
