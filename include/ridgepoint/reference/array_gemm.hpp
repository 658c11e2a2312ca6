// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/ops/array_gemm.hpp>
#include <ridgepoint/reference/reference.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// c(i, j) ← (c(i, j) +) Σ over folds of (((0 + a·b) + a·b) + …), every product and sum rounded.
template <array_format Format>
void execute(const reference_backend&, const array_gemm_args<Format>& g) {
  constexpr bool integers = std::same_as<Format, std::int8_t>;
  using sum = std::conditional_t<integers, std::uint32_t, float>;  // unsigned: wraps
  for (index_t i = 0; i < g.c.rows; ++i)
    for (index_t j = 0; j < g.c.cols; ++j) {
      sum total = g.accumulate ? static_cast<sum>(g.c(i, j)) : sum(0);
      for (index_t p0 = 0; p0 < g.a.cols; p0 += g.depth) {
        sum partial(0);
        for (index_t p = p0; p < (std::min)(p0 + g.depth, g.a.cols); ++p) {
          const Format x(g.a(i, p)), y(g.b(p, j));
          if constexpr (integers) partial += static_cast<sum>(x * y);
          else {
            const volatile float product = static_cast<float>(x) * static_cast<float>(y);  // rounded before the sum
            partial += product;
          }
        }
        total += partial;
      }
      g.c(i, j) = static_cast<array_sum_t<Format>>(total);
    }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
