// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/in_floats.hpp>
#include <ridgepoint/cpu/map_parts.hpp>
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
void execute(const native_cpu& on, const add_args<T>& s) {
  map_parts<T, 2>(on, {s.a, s.b}, s.y, s.size, kernels::sum_of_two<T>{});
}

inline void execute(const native_cpu& on, const add_args<bfloat16>& s) {
  in_floats<2>(on, {s.a, s.b}, s.y, s.size, [](auto& x, index_t n) {
    execute(native_cpu(1), add_args<float>{.size = n, .a = x[0], .b = x[1], .y = x[1]});
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
