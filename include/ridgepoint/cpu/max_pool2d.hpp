// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/cpu/pool_rows.hpp>
#include <ridgepoint/kernels/pool/max.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {
/// Whether each input is read by one output, and one only.
[[nodiscard]] constexpr bool read_once(const window_axis& a) noexcept {
  return a.stride == a.taps && a.inputs_read() == a.extent;
}

/// dx by outputs, for windows that tile the image. A dx that the caches can not hold is written past them.
template <std::floating_point T>
void gradient_of_tiles(const native_cpu& on, const max_pool2d_backward_args<T>& a) noexcept {
  const auto run = [&]<kernels::stores Stores>() {
    pool_outputs<T, Stores>(on, a.geometry,
                            kernels::max_gradient_of_tiles<T, Stores>{a.dy, a.index, a.dx, a.geometry.c});
  };
  const pool2d_geometry& g = a.geometry;
  if (g.c % (2 * simd::lanes<T>) == 0) with_stores(static_cast<std::size_t>(g.input_size()) * sizeof(T), a.dx, run);
  else run.template operator()<kernels::stores::cached>();
}
}  // namespace detail

template <std::floating_point T>
void execute(const native_cpu& on, const max_pool2d_args<T>& a) {
  if (a.index == nullptr)
    detail::pool_outputs<T>(on, a.geometry, kernels::max_window<T, false>{a.x, a.y, nullptr, a.geometry.c});
  else detail::pool_outputs<T>(on, a.geometry, kernels::max_window<T, true>{a.x, a.y, a.index, a.geometry.c});
}

template <std::floating_point T>
void execute(const native_cpu& on, const max_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  if (detail::read_once(g.rows()) && detail::read_once(g.columns()) && g.c >= simd::lanes<T>)
    detail::gradient_of_tiles(on, a);
  else detail::pool_inputs<T>(on, g, kernels::max_gradient<T>{a.dy, a.index, a.dx, g.c});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
