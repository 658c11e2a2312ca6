// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// A divisor for device code; must match device/divisor.hpp. ⌊n / value⌋ = ⌊n·factor / 2^shift⌋ for all n < 2³¹.
///
/// With 2^l the smallest power of two ≥ value, shift = 31 + l and factor = ⌈2^shift / value⌉. The product is too large
/// by less than n·2^l / 2^shift < 1 of a value, which does not change the quotient (Granlund and Montgomery, Division
/// by Invariant Integers using Multiplication, 1994, theorem 4.2). The factor is below 2³².
struct divisor {
  index_t value;
  std::uint32_t factor = 0, shift = 0;  // 0: for values > 2³¹, whose quotient is 0, or < 1

  constexpr divisor(index_t number) noexcept : value(number) {
    constexpr index_t most = index_t{1} << 31;
    if (number < 1 || number > most) return;
    const auto by = static_cast<std::uint64_t>(number);
    shift = 31 + static_cast<std::uint32_t>(std::bit_width(by - 1));
    factor = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + by - 1) / by);
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
