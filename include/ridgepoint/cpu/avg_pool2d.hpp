// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/pool_rows.hpp>
#include <ridgepoint/kernels/pool/average.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const avg_pool2d_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  const kernels::mean_count counted{a.over, g.kh, g.kw, g.h + g.padding.bottom, g.w + g.padding.right};
  detail::pool_outputs<T>(on, g, kernels::mean_window<T>{counted, a.x, a.y, g.c});
}

template <std::floating_point T>
void execute(const native_cpu& on, const avg_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  const window_axis rows = g.rows(), columns = g.columns();
  const index_t oh = g.oh(), ow = g.ow();
  struct shares_scratch;
  T* const shares = thread_scratch_of<shares_scratch, T>(oh * ow);
  const auto counted = [over = a.over](const window_axis& axis, index_t output) {
    return over == mean_over::image ? axis.taps_inside(output) : axis.taps_padded(output);
  };
  for (index_t i = 0; i < oh * ow; ++i)
    shares[i] = static_cast<T>(1.0 / static_cast<double>(counted(rows, i / ow) * counted(columns, i % ow)));
  const bool alike = std::all_of(shares, shares + oh * ow, [&](T share) { return share == shares[0]; });
  if (alike && detail::tile_the_image<T>(g))
    return detail::pool_tiles<T>(on, g, a.dx, [&]<kernels::stores Stores>() {
      return kernels::mean_gradient_of_tiles<T, Stores>{a.dy, shares[0], a.dx, g.c};
    });
  detail::pool_inputs<T>(on, g, kernels::mean_gradient<T>{alike, a.dy, shares, a.dx, g.c});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
