// SPDX-License-Identifier: MIT
// Compiled once per instruction set; the code is independent of the register width.
#include "dot.hpp"

#include <ridgepoint/simd/batch.hpp>

namespace simd = ridgepoint::simd;

namespace {

constexpr int lanes = simd::lanes<float>;

/// Σ x(i)·y(i).
float dot(const float* x, const float* y, int size) {
  simd::batch<float> sum(0.0F);
  int i = 0;
  for (; i + lanes <= size; i += lanes) sum = simd::fma(simd::load(x + i), simd::load(y + i), sum);
  const int rest = size - i;  // lanes beyond it read as 0
  sum = simd::fma(simd::load_partial(x + i, rest), simd::load_partial(y + i, rest), sum);
  return simd::sum<float>(sum);
}

constexpr dot_table table{lanes, dot};

}  // namespace

extern "C" const void* RIDGEPOINT_ISA_SYMBOL(dot_kernels)();
extern "C" const void* RIDGEPOINT_ISA_SYMBOL(dot_kernels)() { return &table; }
