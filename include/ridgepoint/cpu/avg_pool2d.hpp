// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/pool_rows.hpp>
#include <ridgepoint/kernels/pool/average.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const avg_pool2d_args<T>& a) {
  detail::pool_outputs<T>(on, a.geometry, kernels::mean_window<T>{a.x, a.y, a.geometry.c});
}

template <std::floating_point T>
void execute(const native_cpu& on, const avg_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  const window_axis rows = g.rows(), columns = g.columns();
  const index_t oh = g.oh(), ow = g.ow();
  struct shares_scratch;
  T* const shares = thread_scratch_of<shares_scratch, T>(oh * ow);
  for (index_t i = 0; i < oh * ow; ++i)
    shares[i] = static_cast<T>(1.0 / static_cast<double>(rows.taps_inside(i / ow) * columns.taps_inside(i % ow)));
  const bool alike = g.unpadded_taps() == g.taps();
  detail::pool_inputs<T>(on, g, kernels::mean_gradient<T>{alike, a.dy, shares, a.dx, g.c});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
