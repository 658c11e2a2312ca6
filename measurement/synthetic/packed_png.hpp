// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/data/image_processing.hpp>

namespace synthetic {

/// Returns the bytes of a PNG file: grey, 8 bits. Throws: std::bad_alloc.
[[nodiscard]] std::string pack_png(const ridgepoint::grey_image& image);

}  // namespace synthetic
