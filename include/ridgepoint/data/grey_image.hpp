// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A grey image of 8 bits a pixel, row by row; 0 is black.
struct grey_image {
  index_t height = 0, width = 0;
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] std::uint8_t at(index_t y, index_t x) const { return pixels[static_cast<std::size_t>(y * width + x)]; }
  [[nodiscard]] std::uint8_t& at(index_t y, index_t x) { return pixels[static_cast<std::size_t>(y * width + x)]; }
  friend bool operator==(const grey_image&, const grey_image&) = default;
};

/// One of that size, all black.
/// Throws: shape_error for an extent below 0, or more pixels than can be counted.
[[nodiscard]] inline grey_image black_image(index_t height, index_t width) {
  require<shape_error>(height >= 0 && width >= 0, "grey_image: ", height, " x ", width, "; must be >= 0 each");
  return {height, width, std::vector<std::uint8_t>(static_cast<std::size_t>(checked_mul(height, width)))};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
