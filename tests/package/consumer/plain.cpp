// SPDX-License-Identifier: MIT
// Computes one product with the headers only; also the smallest program that uses the library.
#include <cstdio>

#include <ridgepoint/cpu/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  float c[4] = {};
  const rp::native_cpu on;
  const rp::work receipt = rp::gemm<float>(on, {a, 2, 2}, {b, 2, 2}, {c, 2, 2});
  std::printf("%s %s: %g %g %g %g, %d FLOP\n", RIDGEPOINT_VERSION_STRING, on.name().c_str(), c[0], c[1], c[2], c[3],
              static_cast<int>(receipt.flop));
  return c[0] == 19 && c[3] == 50 && receipt.flop == 16 ? 0 : 1;
}
