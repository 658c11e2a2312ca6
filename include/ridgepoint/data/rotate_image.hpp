// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include <ridgepoint/data/grey_image.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Bilinear, at a place in 1/131072 pixel that is at most half a pixel outside.
[[nodiscard]] inline std::uint8_t between_pixels(const grey_image& image, std::int64_t y, std::int64_t x) {
  const std::int64_t fy = (y & 131071) >> 9, fx = (x & 131071) >> 9;
  const index_t top = std::max<index_t>(y >> 17, 0), bottom = std::min<index_t>((y >> 17) + 1, image.height - 1);
  const index_t left = std::max<index_t>(x >> 17, 0), right = std::min<index_t>((x >> 17) + 1, image.width - 1);
  const std::int64_t upper = (256 - fx) * image.at(top, left) + fx * image.at(top, right);
  const std::int64_t lower = (256 - fx) * image.at(bottom, left) + fx * image.at(bottom, right);
  return static_cast<std::uint8_t>(((256 - fy) * upper + fy * lower + 32768) >> 16);
}
}  // namespace detail

/// Turns an image about its middle, counter-clockwise as it is seen; its size stays:
///   y(i, j) = x(½(h−1) + s·u + c·v, ½(w−1) + c·u − s·v),   u = j − ½(w−1), v = i − ½(h−1),
/// c and s the cosine and sine of the angle. Between pixels it is bilinear; half a pixel around the image it is its
/// border, beyond that 0.
///
/// All integers, with c and s rounded to 1/65536 and weights of pixels cut off to 1/256: the same bytes everywhere.
/// Multiples of 90° move whole pixels of a square image.
/// Throws: value_error unless the angle is finite.
/// Example: rp::rotate_image(image, 90)      // of a square one: the right border becomes the upper one
[[nodiscard]] inline grey_image rotate_image(const grey_image& image, double degrees) {
  require<value_error>(std::isfinite(degrees), "rotate_image: the angle is ", degrees, "; must be finite");
  constexpr std::int64_t one = 65536;  // of c and s; half a pixel, of places
  const double radians = std::fmod(degrees, 360.0) * std::numbers::pi / 180;
  const std::int64_t c = std::llround(one * std::cos(radians)), s = std::llround(one * std::sin(radians));
  const index_t h = image.height, w = image.width;
  grey_image turned = black_image(h, w);
  std::uint8_t* to = turned.pixels.data();
  for (index_t i = 0; i < h; ++i) {
    const std::int64_t v = 2 * i - (h - 1);
    std::int64_t x = one * (w - 1) - c * (w - 1) - s * v, y = one * (h - 1) - s * (w - 1) + c * v;
    for (index_t j = 0; j < w; ++j, ++to, x += 2 * c, y += 2 * s) {
      if (x < -one || x >= (2 * w - 1) * one || y < -one || y >= (2 * h - 1) * one) continue;
      *to = detail::between_pixels(image, y, x);
    }
  }
  return turned;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
