// SPDX-License-Identifier: MIT
// Compiled once per instruction set: exp over an array, which is not an op.
#include <ridgepoint/cpu/elementwise.hpp>
#include <ridgepoint/simd/math.hpp>

#include "exp_kernel.hpp"

namespace {

namespace rp = ridgepoint;

void run(int threads, long size, const float* x, float* y) {
  rp::map_parts<float, 1>(rp::native_cpu(threads), {x}, y, size,
                          [](auto v) { return std::array{rp::simd::exp<float>(v)}; });
}

constexpr peer_exp_table table{run};

}  // namespace

extern "C" const void* RIDGEPOINT_ISA_SYMBOL(peer_exp)();
extern "C" const void* RIDGEPOINT_ISA_SYMBOL(peer_exp)() { return &table; }
