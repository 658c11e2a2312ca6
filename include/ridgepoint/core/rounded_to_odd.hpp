// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Of the floats around x the odd one, x where it is a float: on the same side of every tie between two numbers of
/// fewer bits as x, so that rounding it to these rounds x once.
[[nodiscard]] constexpr float rounded_to_odd(double x) noexcept {
  const auto nearest = static_cast<float>(x);
  const auto back = static_cast<double>(nearest);
  if (exactly(back, x) || !exactly(x, x)) return nearest;
  const bool beyond = x < 0 ? back < x : back > x;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(nearest) - (beyond ? 1U : 0U)) | 1U);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
