// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/map_parts.hpp>
#include <ridgepoint/kernels/map/softmax.hpp>
#include <ridgepoint/ops/positions.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// scale·x + p.
template <class T>
struct scaled_sum {
  using batch = simd::batch<T>;
  T scale;
  RIDGEPOINT_INLINE std::array<batch, 1> operator()(batch x, batch p) const noexcept {
    return {simd::fma(batch(scale), x, p)};
  }
};
}  // namespace detail

/// Threads take steps: the sinusoids of one are made once for all samples.
template <std::floating_point T>
void execute(const native_cpu& on, const positions_args<T>& a) {
  const bool worth_a_team = a.n * a.steps * a.width > part_elements;
  parallel_for(worth_a_team ? on.thread_count() : 1, a.n > 0 ? a.steps : 0, [&](index_t step) {
    struct tag;
    T* const p = thread_scratch_of<tag, T>(a.width);
    for (index_t c = 0; c < a.width; ++c) p[c] = static_cast<T>(sinusoid(step, c, a.width));
    for (index_t i = 0; i < a.n; ++i) {
      const index_t row = (i * a.steps + step) * a.width;
      kernels::map<T, 2, 1>({a.x + row, p}, {a.y + row}, a.width, detail::scaled_sum<T>{static_cast<T>(a.scale)});
    }
  });
}
template <std::floating_point T>
void execute(const native_cpu& on, const positions_backward_args<T>& a) {
  map_parts<T, 1>(on, {a.dy}, a.dx, a.size, kernels::scaled<T>{static_cast<T>(a.scale)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
