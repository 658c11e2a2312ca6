// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/pool_rows.hpp>
#include <ridgepoint/kernels/pool/max.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const max_pool2d_args<T>& a) {
  if (a.index == nullptr)
    detail::pool_outputs<T>(on, a.geometry, kernels::max_window<T, false>{a.x, a.y, nullptr, a.geometry.c});
  else detail::pool_outputs<T>(on, a.geometry, kernels::max_window<T, true>{a.x, a.y, a.index, a.geometry.c});
}

template <std::floating_point T>
void execute(const native_cpu& on, const max_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  if (detail::tile_the_image<T>(g))
    detail::pool_tiles<T>(on, g, a.dx, [&]<kernels::stores Stores>() {
      return kernels::max_gradient_of_tiles<T, Stores>{a.dy, a.index, a.dx, g.c};
    });
  else detail::pool_inputs<T>(on, g, kernels::max_gradient<T>{a.dy, a.index, a.dx, g.c});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
