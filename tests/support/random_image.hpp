// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/image_processing.hpp>

/// Greys from 0 to `most`, equal for equal seeds.
inline ridgepoint::grey_image random_image(ridgepoint::index_t height, ridgepoint::index_t width,
                                           std::uint64_t seed = 1, std::uint32_t most = 255) {
  ridgepoint::random_stream random(seed);
  ridgepoint::grey_image image = ridgepoint::black_image(height, width);
  for (auto& grey : image.pixels) grey = static_cast<std::uint8_t>(random.below(most + 1));
  return image;
}
