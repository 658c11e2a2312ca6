// SPDX-License-Identifier: MIT
// Writes and reads a PNG file with the component png only.
#include <cstdio>

#include <ridgepoint/data/png.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::grey_image image{2, 2, {0, 1, 2, 255}};
  rp::write_png("image.png", image);
  const bool same = rp::read_png("image.png") == image;
  std::remove("image.png");
  return same ? 0 : 1;
}
