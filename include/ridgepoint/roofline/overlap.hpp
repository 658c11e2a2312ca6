// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// (aᵖ + bᵖ)^(1/p): two things that overlap, but not perfectly; p = 0 stands for the maximum.
[[nodiscard]] inline double overlap(double a, double b, double exponent) noexcept {
  const double longer = (std::max)(a, b), shorter = (std::min)(a, b);
  if (exactly(exponent, 0) || shorter <= 0) return longer;
  return longer * std::pow(1 + std::pow(shorter / longer, exponent), 1 / exponent);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
