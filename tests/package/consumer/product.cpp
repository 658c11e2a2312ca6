// SPDX-License-Identifier: MIT
// A shared library with one function; its users know nothing of ridgepoint.
#include <ridgepoint/cpu/cpu.hpp>

namespace rp = ridgepoint;

/// c (2x2) = a (2x2) * b (2x2)
extern "C" __attribute__((visibility("default"))) void product(const float* a, const float* b, float* c) {
  rp::gemm<float>(rp::cpu(), {a, 2, 2}, {b, 2, 2}, {c, 2, 2});
}
