// SPDX-License-Identifier: MIT
// Shared library with one function; its users do not see ridgepoint.
#include <ridgepoint/cpu/cpu.hpp>

namespace rp = ridgepoint;

/// Computes c (2x2) = a (2x2) * b (2x2).
extern "C" __attribute__((visibility("default"))) void product(const float* a, const float* b, float* c) {
  rp::gemm<float>(rp::cpu(), {a, 2, 2}, {b, 2, 2}, {c, 2, 2});
}
