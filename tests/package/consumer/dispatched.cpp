// SPDX-License-Identifier: MIT
// Uses the full CPU backend with the machine's best instruction set.
#include <cstdio>

#include <ridgepoint/cpu/cpu.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::cpu on;
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  float c[4] = {};
  const rp::work receipt = rp::gemm<float>(on, {a, 2, 2}, {b, 2, 2}, {c, 2, 2});
  std::printf("%s on %d threads\n", on.name().c_str(), on.thread_count());
  return c[0] == 19 && c[3] == 50 && receipt.flop == 16 ? 0 : 1;
}
