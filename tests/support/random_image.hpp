// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/random.hpp>
#include <ridgepoint/data/grey_image.hpp>

/// Greys from 0 to most, the same for the same seed.
inline ridgepoint::grey_image random_image(ridgepoint::index_t height, ridgepoint::index_t width,
                                           std::uint64_t seed = 1, std::uint32_t most = 255) {
  ridgepoint::random_stream random(seed);
  ridgepoint::grey_image image = ridgepoint::black_image(height, width);
  for (auto& grey : image.pixels) grey = static_cast<std::uint8_t>(random.below(most + 1));
  return image;
}
