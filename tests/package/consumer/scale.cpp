// SPDX-License-Identifier: MIT
// Compiled once per instruction set.
#include "scale.hpp"

#include <ridgepoint/simd/batch.hpp>

namespace simd = ridgepoint::simd;

namespace {
constexpr int lanes = simd::lanes<float>;

void scale(float factor, float* x, int size) {
  for (int i = 0; i < size; i += lanes) {
    const int n = size - i < lanes ? size - i : lanes;
    simd::store_partial(x + i, simd::load_partial(x + i, n) * simd::batch<float>(factor), n);
  }
}
constexpr scale_table table{lanes, scale};
}  // namespace

extern "C" const void* RIDGEPOINT_ISA_SYMBOL(scale)() { return &table; }
