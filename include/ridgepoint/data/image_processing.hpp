// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Grey image of 8 bits per pixel, row by row; 0 is black.
struct grey_image {
  index_t height = 0, width = 0;
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] std::uint8_t at(index_t y, index_t x) const { return pixels[static_cast<std::size_t>(y * width + x)]; }
  [[nodiscard]] std::uint8_t& at(index_t y, index_t x) { return pixels[static_cast<std::size_t>(y * width + x)]; }
  friend bool operator==(const grey_image&, const grey_image&) = default;
};

/// Returns a black image of the given size.
/// Throws: shape_error for an extent below 0, or more pixels than can be counted.
[[nodiscard]] inline grey_image black_image(index_t height, index_t width) {
  require<shape_error>(height >= 0 && width >= 0, "grey_image: ", height, " x ", width, "; must be >= 0 each");
  return {height, width, std::vector<std::uint8_t>(static_cast<std::size_t>(checked_mul(height, width)))};
}

/// Returns the central square of an image: y(i, j) = x(i + ⌊(h − side)/2⌋, j + ⌊(w − side)/2⌋), side × side.
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

/// Spreads the greys of an image so that each part of the scale has about as many pixels:
///   y = round(255 · (C(x) − C₀) / (n − C₀)), halves upwards,
/// C(x) the number of pixels ≤ x, C₀ the number of pixels as dark as the darkest, n the number of all pixels. The
/// darkest grey becomes 0, the brightest 255; an image of one grey is unchanged.
///
/// Source: Gonzalez, Woods: Digital Image Processing, 3.3; with C₀ subtracted as in OpenCV's equalizeHist.
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

/// Returns the distance from middle grey: y = |x − 128|, 0 … 128.
///
/// Under light from one side, the slope facing the light is bright and the opposite one dark, equally far from the
/// background grey: the result shows the steepness, independent of the direction of the light.
/// Example: rp::invert_shadows({1, 3, {0, 128, 255}})      // 128, 0, 127
[[nodiscard]] inline grey_image invert_shadows(grey_image image) {
  for (std::uint8_t& grey : image.pixels) grey = static_cast<std::uint8_t>(grey < 128 ? 128 - grey : grey - 128);
  return image;
}

/// Returns an image resized: each new pixel is the mean of the area it covers, halves rounded upwards.
///   y(i, j) = Σ_{p,q} a(i, p; h, height) · a(j, q; w, width) · x(p, q) / (h · w),
/// a(i, p; h, height) is the length of the intersection of [i·h, (i+1)·h) and [p·height, (p+1)·height).
///
/// From 320 × 320 to 64 × 64 this is the mean of 5 × 5 pixels. Enlarging repeats pixels, and blends where they meet.
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

namespace detail {
/// Interpolates bilinearly at a position in 1/131072 pixel, at most half a pixel outside.
[[nodiscard]] inline std::uint8_t between_pixels(const grey_image& image, std::int64_t y, std::int64_t x) {
  const std::int64_t fy = (y & 131071) >> 9, fx = (x & 131071) >> 9;
  const index_t top = std::max<index_t>(y >> 17, 0), bottom = std::min<index_t>((y >> 17) + 1, image.height - 1);
  const index_t left = std::max<index_t>(x >> 17, 0), right = std::min<index_t>((x >> 17) + 1, image.width - 1);
  const std::int64_t upper = (256 - fx) * image.at(top, left) + fx * image.at(top, right);
  const std::int64_t lower = (256 - fx) * image.at(bottom, left) + fx * image.at(bottom, right);
  return static_cast<std::uint8_t>(((256 - fy) * upper + fy * lower + 32768) >> 16);
}
}  // namespace detail

/// Rotates an image about its centre, counter-clockwise on screen; its size is unchanged:
///   y(i, j) = x(½(h−1) + s·u + c·v, ½(w−1) + c·u − s·v),   u = j − ½(w−1), v = i − ½(h−1),
/// c and s the cosine and sine of the angle. Interpolation is bilinear; up to half a pixel outside the image the value
/// is that of its border, beyond that 0.
///
/// Uses only integers, with c and s rounded to 1/65536 and pixel weights truncated to 1/256: the same bytes everywhere.
/// Multiples of 90° move full pixels of a square image.
/// Throws: value_error unless the angle is finite.
/// Example: rp::rotate_image(image, 90)      // of a square one: the right border becomes the upper one
[[nodiscard]] inline grey_image rotate_image(const grey_image& image, double degrees) {
  require<value_error>(std::isfinite(degrees), "rotate_image: the angle is ", degrees, "; must be finite");
  constexpr std::int64_t one = 65536;  // unit of c and s; half a pixel for positions
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
