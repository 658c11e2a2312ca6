// SPDX-License-Identifier: MIT
// One op: run it on a backend, get its receipt.
#include <iostream>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace rp = ridgepoint;

int main() {
  rp::tensor<float> a({128, 784}), b({784, 512}), c({128, 512});
  for (float& x : a) x = 1;
  for (float& x : b) x = 0.5F;

  const rp::cpu on;  // this CPU's best instruction set, all cores
  const rp::work receipt = rp::gemm(on, a, b, c);

  std::cout << on.name() << ": c(0, 0) = " << c(0, 0) << '\n'
            << receipt.flop << " FLOP, " << receipt.bytes.total() << " bytes, " << receipt.flop_per_byte()
            << " FLOP/B\n";
}

// Prints:
//   ridgepoint.avx2: c(0, 0) = 392
//   102760448 FLOP, 2269184 bytes, 45.2852 FLOP/B
