// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace kernels {
template <class T>
struct square {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x) const noexcept { return {x * x}; }
};
}  // namespace kernels

template <std::floating_point T>
void execute(const native_cpu& on, const sum_of_squares_args<T>& a) {
  const auto [sum] = sum_parts<1>(on, a.size, part_elements, [&](index_t begin, index_t end) {
    return kernels::map<T, 1, 0>({a.x + begin}, {}, end - begin, kernels::square<T>{});
  });
  a.state->gradient_squares = (a.accumulate ? a.state->gradient_squares : 0) + sum;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
