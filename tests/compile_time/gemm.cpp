// SPDX-License-Identifier: MIT
// Smallest program with one product on the CPU.
#include <ridgepoint/cpu/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  const float x[4] = {1, 2, 3, 4};
  float y[4];
  rp::gemm<float>(rp::native_cpu{}, {x, 2, 2}, {x, 2, 2}, {y, 2, 2});
  return static_cast<int>(y[0]);
}
