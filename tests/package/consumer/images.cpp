// SPDX-License-Identifier: MIT
// Reads a PNG file with the component png only.
#include <cstdio>
#include <fstream>
#include <string_view>

#include <ridgepoint/data/png.hpp>

namespace rp = ridgepoint;

int main() {
  constexpr std::string_view bytes(
      "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x02\x08\0\0\0\0\x57\xdd\x52\xf8"
      "\0\0\0\x0eIDAT\x78\xda\x63\x60\x60\x64\x60\xfa\x0f\0\x01\x0d\x01\x03\xcb\x14\xc5\xde"
      "\0\0\0\0IEND\xae\x42\x60\x82",
      71);
  std::ofstream("image.png", std::ios::binary) << bytes;
  const bool same = rp::read_png("image.png") == rp::grey_image{2, 2, {0, 1, 2, 255}};
  std::remove("image.png");
  return same ? 0 : 1;
}
