// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/config.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// sum + x·y: one term of a matrix product or convolution, and nothing else. A scalar that counts its own arithmetic
/// overloads it to tell matrix FLOP from the rest.
template <class A>
[[nodiscard]] constexpr A multiply_add(A sum, A x, A y) {
  return sum + x * y;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
