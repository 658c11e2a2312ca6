// SPDX-License-Identifier: MIT
// A PNG file written and read, with the component png alone.
#include <cstdio>

#include <ridgepoint/data/read_png.hpp>
#include <ridgepoint/data/write_png.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::grey_image image{2, 2, {0, 1, 2, 255}};
  rp::write_png("image.png", image);
  const bool same = rp::read_png("image.png") == image;
  std::remove("image.png");
  return same ? 0 : 1;
}
