// SPDX-License-Identifier: MIT
// The same product through the dispatcher. The kernels are in the archive.
#include <ridgepoint/cpu/cpu.hpp>

namespace rp = ridgepoint;

int main() {
  const float x[4] = {1, 2, 3, 4};
  float y[4];
  rp::gemm<float>(rp::cpu{}, {x, 2, 2}, {x, 2, 2}, {y, 2, 2});
  return static_cast<int>(y[0]);
}
