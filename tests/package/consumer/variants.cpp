// SPDX-License-Identifier: MIT
// Uses a user's own kernel, compiled once per instruction set; the best is chosen at run time.
#include <cstdio>

#include <ridgepoint/simd/variants.hpp>

#include "scale.hpp"

extern "C" const ridgepoint_isa_variant scale_variants[];

int main() {
  const auto& best = ridgepoint::simd::pick_variant(scale_variants);
  const auto& kernels = *static_cast<const scale_table*>(best.table());
  float x[11];
  for (int i = 0; i < 11; ++i) x[i] = static_cast<float>(i);
  kernels.scale(3, x, 11);
  std::printf("%s with %d lanes\n", best.isa, kernels.lanes);
  for (int i = 0; i < 11; ++i)
    if (x[i] != static_cast<float>(3 * i)) return 1;
  return 0;
}
