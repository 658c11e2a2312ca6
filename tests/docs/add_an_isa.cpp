// SPDX-License-Identifier: MIT
// Checks the kernel of docs/add_an_isa.md: all supported copies give the same result, and each can be forced.
#include <doctest/doctest.h>

#include <ridgepoint/simd/variants.hpp>

#include "docs/toy/variants/dot.hpp"

namespace rp = ridgepoint;

extern "C" const ridgepoint_isa_variant dot_kernels_variants[];

TEST_CASE("one source, a copy per instruction set") {
  float x[37], y[37];
  float expected = 0;
  for (int i = 0; i < 37; ++i) {
    x[i] = static_cast<float>(i - 18);
    y[i] = static_cast<float>(i % 5);
    expected += x[i] * y[i];  // small integers: exact in any order
  }
  int copies = 0;
  for (const auto* v = dot_kernels_variants; v->isa != nullptr; ++v) {
    if (!rp::simd::cpu_runs(v->isa)) continue;
    const auto& kernels = *static_cast<const dot_table*>(rp::simd::pick_variant(dot_kernels_variants, v->isa).table());
    CAPTURE(v->isa);
    for (int size = 0; size <= 37; ++size) CHECK(kernels.dot(x, y, size) == kernels.dot(y, x, size));
    CHECK(kernels.dot(x, y, 37) == expected);
    ++copies;
  }
  CHECK(copies >= 1);
}

TEST_CASE("the strongest supported copy is picked, and a name forces another one") {
  const auto& best = rp::simd::pick_variant(dot_kernels_variants);
  CHECK(rp::simd::cpu_runs(best.isa));
  CHECK_THROWS_WITH_AS(static_cast<void>(rp::simd::pick_variant(dot_kernels_variants, "avx3")),
                       doctest::Contains("isa is 'avx3'; must be"), rp::value_error);
}
