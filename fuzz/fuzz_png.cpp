// SPDX-License-Identifier: MIT
// Reads any bytes as a PNG file, and as an image of an embryo: an image, or a data_error.
#include <fuzz/input.hpp>

#include <ridgepoint/data/embryos.hpp>

namespace rp = ridgepoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = as_file(data, size);
  try {
    const rp::grey_image image = rp::read_png(file, {.height = 512, .width = 512});
    if (image.pixels.size() != static_cast<std::size_t>(image.height * image.width)) __builtin_trap();
  } catch (const rp::data_error&) {
  }
  try {
    const rp::grey_image image = rp::detail::read_embryo(file, 8);
    if (rp::without_shadows(image, {.clipped = 5}).pixels.size() != 25) __builtin_trap();
  } catch (const rp::data_error&) {
  }
  return 0;
}
