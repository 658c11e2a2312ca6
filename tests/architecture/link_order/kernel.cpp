// SPDX-License-Identifier: MIT
// Compiled once per instruction set. unkeyed_sum() breaks the rule: an inline function with one name in all copies.
#include <algorithm>
#include <functional>
#include <vector>

#include <ridgepoint/core/config.hpp>
#include <ridgepoint/simd/batch.hpp>

#include "table.hpp"

__attribute__((noinline)) inline float unkeyed_sum(const float* x, int size) {
  float lane[16] = {};
  for (int i = 0; i + 16 <= size; i += 16)
    for (int j = 0; j < 16; ++j) lane[j] += x[i + j];
  float sum = 0;
  for (const float value : lane) sum += value;
  return sum;
}

namespace ridgepoint::inline RIDGEPOINT_ABI {

RIDGEPOINT_NOINLINE inline float keyed_sum(const float* x, int size) {
  simd::batch<float> sum(0.0F);
  for (int i = 0; i < size; i += simd::lanes<float>) sum = sum + simd::load(x + i);
  return simd::sum(sum);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

namespace {

// Uses templates of the standard library that every copy instantiates.
float sorted_first(const float* x, int size) {
  std::vector<float> copy(x, x + size);
  std::sort(copy.begin(), copy.end(), std::greater<>());
  return copy.front();
}
constexpr sum_table table{unkeyed_sum, ridgepoint::keyed_sum, sorted_first};

}  // namespace

extern "C" const void* RIDGEPOINT_ISA_SYMBOL(sums)();
extern "C" const void* RIDGEPOINT_ISA_SYMBOL(sums)() { return &table; }
