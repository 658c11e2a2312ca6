// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/parts.hpp>
#include <ridgepoint/kernels/map/map.hpp>
#include <ridgepoint/ops/add.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace kernels {
template <class T>
struct sum_of_two {
  using batch = simd::batch<T>;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch a, batch b) const noexcept { return {a + b}; }
};
}  // namespace kernels

template <std::floating_point T>
void execute(const cpu& on, const add_args<T>& s) {
  for_parts(on, s.size, [&](index_t begin, index_t end) {
    kernels::map<T, 2, 1>({s.a + begin, s.b + begin}, {s.y + begin}, end - begin, kernels::sum_of_two<T>{});
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
