// SPDX-License-Identifier: MIT
// One op on the roofline: measure the machine, time the op, place its receipt.
#include <chrono>
#include <iostream>

#include <ridgepoint/core/tensor.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/cpu/probe.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/roofline/table.hpp>

namespace rp = ridgepoint;

int main() {
  const rp::cpu on(1);
  const rp::machine machine = rp::probe(on, {.budget_s = 1});

  rp::tensor<float> a({256, 256}), b({256, 256}), c({256, 256});
  rp::profile profile{.title = "one gemm", .backend = on.name(), .rows = {}};
  double best_s = 1;
  rp::work receipt;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    receipt = rp::gemm(on, a, b, c);
    best_s = std::min(best_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  profile.rows.push_back({.layer = "gemm",
                          .shape = "256x256 * 256x256",
                          .receipt = receipt,
                          .elapsed_s = best_s,
                          .footprint_bytes = receipt.bytes.total()});
  profile.step_s = best_s;
  std::cout << rp::table(profile, machine);
}

// Prints:
//   one gemm on ridgepoint.avx2, 1 thread; roofs of AMD EPYC; 1 multiply-add = 2 FLOP
//
//      layer     pass     shape               GFLOP  FLOP/B   time  share  GFLOP/s  GB/s  % of roof  bound by
//                                                               ms      %
//   ---------------------------------------------------------------------------------------------------------
//   A  gemm      forward  256x256 * 256x256  0.0336    42.7  0.393    100     85.4  2.00       89.1  compute
//      residual                                                  0      0
//   ---------------------------------------------------------------------------------------------------------
//      step                                  0.0336    42.7  0.393    100     85.4  2.00       89.1
