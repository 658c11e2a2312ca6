// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// The number of counters in one register.
inline constexpr int counter_lanes = static_cast<int>(sizeof(counters) / sizeof(std::uint64_t));

/// Computes philox4x32() of core/random.hpp in every 64-bit lane: the low halves of `counter` hold the 32-bit counter
/// words; the low halves of the result hold the random words, the high halves are undefined.
RIDGEPOINT_INLINE std::array<counters, 4> philox(std::array<counters, 4> counter, std::uint64_t key) noexcept {
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  const counters zero{}, m0 = zero + std::uint64_t{0xD2511F53}, m1 = zero + std::uint64_t{0xCD9E8D57};
  RIDGEPOINT_UNROLL
  for (int round = 0; round < 10; ++round) {
    const counters p0 = multiply_low(m0, counter[0]), p1 = multiply_low(m1, counter[2]);
    counter = {(p1 >> 32) ^ counter[1] ^ std::uint64_t{k0}, p1, (p0 >> 32) ^ counter[3] ^ std::uint64_t{k1}, p0};
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return counter;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
