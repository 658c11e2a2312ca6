// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/gemm/microkernel.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Returns the options that tiles apply: all of them if the depth is not cut.
template <class T>
[[nodiscard]] tile_epilogue<T> epilogue_of(const gemm_plan& plan, const gemm_options<T>& options) noexcept {
  return {.alpha = options.alpha,
          .beta = options.beta,
          .bias = options.bias,
          .relu = options.act == activation::relu,
          .streams = plan.streams};
}

/// gemm_in_place() for a C of one panel, in one slice: one or two runs of tiles down the rows.
template <class T>
RIDGEPOINT_INLINE void gemm_one_panel(const gemm_plan& plan, const gemm_args<T>& g) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  const index_t m = g.c.rows, n = g.c.cols, ldc = g.c.row_stride;
  const int nv = static_cast<int>(ceil_div(n, lanes));
  const bool narrow = n < lanes;
  tile_run<T> t{.k = g.a.cols,
                .a_row = g.a.row_stride,
                .a_step = g.a.col_stride,
                .b_step = g.b.row_stride,
                .ldc = ldc,
                .last_at = narrow ? 0 : n - lanes,
                .last = narrow ? n : lanes,
                .epilogue = epilogue_of(plan, g.options),
                .slices = plan.slices,
                .narrow_b = narrow,
                .fetches_c = plan.fetches_c && !narrow};
  t.leave(native_unit, nv);
  for (const auto [i, mr, tiles] : tile_split::of(m, plan.mr).runs()) {
    t.tiles = tiles;
    t.a_tile = mr * t.a_row, t.c_tile = mr * ldc;
    if (plan.far_a && t.a_step == 1) t.a_after = g.a.data + (i + mr) * t.a_row;
    tile_in_place<T>(mr, nv)(t, g.a.data + i * t.a_row, g.b.data, g.c.data + i * ldc);
  }
}

/// C ← relu(α·A·B + β·C + bias), A and B read in place: for a B that fits L2, for few rows or columns, where copying an
/// operand costs more than the product, and for products so small that all overhead counts.
///
/// Slices of kc rows of B; tiles run along the panels of nv vectors, or down the rows if one panel holds all columns.
/// Requires: g.b and g.c have unit column stride.
template <class T>
void gemm_in_place(const gemm_plan& plan, const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, ldc = g.c.row_stride;
  if (n <= plan.nv * simd::lanes<T> && k <= plan.kc) return gemm_one_panel(plan, g);
  const tile_split split = tile_split::of(m, plan.mr);
  constexpr index_t columns_ahead = 16;
  const bool far_a = plan.far_a && g.a.col_stride == 1;
  const bool along = split.tiles == 1 || n > plan.nv * simd::lanes<T>;
  const column_panels columns(n, plan.nv, simd::lanes<T>);
  tile_run<T> t{.a_row = g.a.row_stride,
                .a_step = g.a.col_stride,
                .b_step = g.b.row_stride,
                .ldc = ldc,
                .epilogue = epilogue_of(plan, g.options),
                .slices = plan.slices,
                .fetches_c = plan.fetches_c};
  for (index_t p0 = 0; p0 < k; p0 += plan.kc) {
    const bool last_part = p0 + plan.kc >= k;
    if (p0 > 0) t.epilogue.beta = T(1);
    t.epilogue.relu = last_part && g.options.act == activation::relu;
    t.k = (std::min)(plan.kc, k - p0);
    for (const auto [first, mr, count] : split.runs()) {
      const index_t tiles = along ? 1 : count, end = first + count * mr;
      for (index_t i = first; i < end; i += tiles * mr)
        for (const auto& [j, panels, nv, last_at, last] : columns) {
          const T* const a = g.a.data + i * t.a_row + p0 * t.a_step;
          const T* const b = g.b.data + p0 * t.b_step + j;
          T* const c = g.c.data + i * ldc + j;
          const index_t width = nv * simd::lanes<T>;
          const bool narrow = last < simd::lanes<T>;
          t.last_at = last_at, t.last = last;
          t.narrow_b = narrow;
          t.fetch_b = along && nv == widest_tile(native_unit, mr) ? plan.fetch_b : 0;
          t.fetch_a = plan.far_a && g.a.row_stride == 1 ? columns_ahead * t.a_step : 0;
          t.a_after = far_a && (!along || j + panels * width >= n) ? a + mr * t.a_row : nullptr;
          t.c_after = j + panels * width < n ? c + panels * width
                      : i + tiles * mr < m   ? c + tiles * mr * ldc - j
                                             : nullptr;
          if (along) t.tiles = panels, t.a_tile = 0, t.b_tile = width, t.c_tile = width;
          else t.tiles = tiles, t.a_tile = mr * t.a_row, t.b_tile = 0, t.c_tile = mr * ldc;
          t.epilogue.bias = last_part && g.options.bias != nullptr ? g.options.bias + j : nullptr;
          t.leave(native_unit, nv);
          tile_in_place<T>(mr, nv)(t, a, b, c);
        }
    }
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
