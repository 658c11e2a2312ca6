// SPDX-License-Identifier: MIT
// Calls the SSE4.2 copy, and the wide copy if this CPU supports it. Built with baseline flags.
#include <cstdio>

#include <ridgepoint/simd/cpuid.hpp>

#include "table.hpp"

extern "C" const void* sums_sse4_2();
extern "C" const void* RIDGEPOINT_WIDE_ENTRY();

namespace {
int check(const void* table, const char* isa) {
  const auto& sums = *static_cast<const sum_table*>(table);
  float x[64];
  for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i);
  if (sums.unkeyed_sum(x, 64) == 2016 && sums.keyed_sum(x, 64) == 2016 && sums.sorted_first(x, 64) == 63) return 0;
  std::printf("the %s copy sums wrongly\n", isa);
  return 1;
}
}  // namespace

int main() {
  int wrong = check(sums_sse4_2(), "sse4_2");
  if (ridgepoint::simd::cpu_runs(RIDGEPOINT_WIDE_ISA)) wrong += check(RIDGEPOINT_WIDE_ENTRY(), RIDGEPOINT_WIDE_ISA);
  return wrong;
}
