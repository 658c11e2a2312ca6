// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/gemm/tiles.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// piece(j, count, nv, last_at, last): columns [0, n) as runs of `count` panels of nv vectors from column j on. Only
/// the last panel may be ragged: its last vector overlaps the one before, or, where n < lanes, has only `last` columns.
/// Requires: nv ≥ 2 unless n ≤ lanes.
template <class T, class Piece>
RIDGEPOINT_INLINE void for_panels(index_t n, int nv, Piece&& piece) {
  constexpr index_t lanes = simd::lanes<T>;
  if (n <= lanes) return piece(index_t{0}, index_t{1}, 1, index_t{0}, n);
  const index_t width = nv * lanes;
  index_t panels = n < width ? 0 : n < 2 * width ? 1 : n / width, rest = n - panels * width;
  if (rest > 0 && rest < lanes && panels > 0) --panels, rest += width;  // too little to overlap within itself
  if (panels > 0) piece(index_t{0}, panels, nv, width - lanes, lanes);
  index_t j = panels * width;
  if (rest > width) {  // a vector more than a panel: that one first
    piece(j, index_t{1}, 1, index_t{0}, lanes);
    j += lanes, rest -= lanes;
  }
  if (rest > 0) piece(j, index_t{1}, static_cast<int>(ceil_div(rest, lanes)), rest - lanes, lanes);
}

/// gemm_in_place() for a C that is one panel wide, in one slice: one run of tiles down the rows, or two.
template <class T>
RIDGEPOINT_INLINE void gemm_one_panel(index_t mr, int slices, const gemm_args<T>& g) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  const index_t m = g.c.rows, n = g.c.cols, ldc = g.c.row_stride;
  const int nv = static_cast<int>(ceil_div(n, lanes));
  const bool narrow = n < lanes;
  tile_operands<T> t{.k = g.a.cols,
                     .a_row = g.a.row_stride,
                     .a_step = g.a.col_stride,
                     .b = g.b.data,
                     .b_step = g.b.row_stride,
                     .ldc = ldc,
                     .last_at = narrow ? 0 : n - lanes,
                     .last = narrow ? n : lanes};
  const tile_epilogue<T> epilogue{.alpha = g.options.alpha,
                                  .beta = g.options.beta,
                                  .bias = g.options.bias,
                                  .relu = g.options.act == activation::relu};
  tile_split::of(m, mr).for_runs([&](index_t i, index_t rows, index_t tiles) {
    t.tiles = tiles;
    t.a = g.a.data + i * t.a_row, t.a_tile = rows * t.a_row;
    t.c = g.c.data + i * ldc, t.c_tile = rows * ldc;
    (narrow ? tiles_in_place<T>::narrow(rows, slices) : tiles_in_place<T>::of(rows, nv, slices))(t, epilogue);
  });
}

/// C ← α·A·B + β·C + bias, relu, from A and B where they are: for a B that L2 holds, for few rows or few columns, where
/// copying an operand costs more than the product, and for products so small that everything beside the arithmetic
/// counts.
///
/// Slices of kc rows of B; tiles run along the panels of nv vectors, or, where one panel has all columns, down the
/// rows.
/// Requires: g.b and g.c have unit column stride.
template <class T>
void gemm_in_place(const gemm_plan& plan, const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, ldc = g.c.row_stride;
  if (n <= plan.nv * simd::lanes<T> && k <= plan.kc) return gemm_one_panel(plan.mr, plan.slices, g);
  const tile_split split = tile_split::of(m, plan.mr);
  const bool along = split.tiles == 1 || n > plan.nv * simd::lanes<T>;
  tile_operands<T> t{.a_row = g.a.row_stride,
                     .a_step = g.a.col_stride,
                     .b_step = g.b.row_stride,
                     .ldc = ldc,
                     .fetch_b = along ? plan.fetch_b : 0};
  for (index_t p0 = 0; p0 < k; p0 += plan.kc) {
    const bool last_part = p0 + plan.kc >= k;
    tile_epilogue<T> epilogue{.alpha = g.options.alpha,
                              .beta = p0 == 0 ? g.options.beta : T(1),
                              .relu = last_part && g.options.act == activation::relu};
    t.k = std::min(plan.kc, k - p0);
    const auto rows_from = [&](index_t i, index_t mr, index_t tiles) {
      for_panels<T>(n, plan.nv, [&](index_t j, index_t panels, int nv, index_t last_at, index_t last) {
        t.a = g.a.data + i * t.a_row + p0 * t.a_step;
        t.b = g.b.data + p0 * t.b_step + j;
        t.c = g.c.data + i * ldc + j;
        t.last_at = last_at, t.last = last;
        const index_t width = nv * simd::lanes<T>;
        t.c_after = j + panels * width < n ? t.c + panels * width
                    : i + tiles * mr < m   ? t.c + tiles * mr * ldc - j
                                           : nullptr;
        if (along) t.tiles = panels, t.a_tile = 0, t.b_tile = width, t.c_tile = width;
        else t.tiles = tiles, t.a_tile = mr * t.a_row, t.b_tile = 0, t.c_tile = mr * ldc;
        if (last_part && g.options.bias != nullptr) epilogue.bias = g.options.bias + j;
        const bool narrow = last < simd::lanes<T>, fetches = t.fetch_b != 0 && nv == widest_tile(mr);
        (narrow    ? tiles_in_place<T>::narrow(mr, plan.slices)
         : fetches ? tiles_in_place<T>::fetching(mr)
                   : tiles_in_place<T>::of(mr, nv, plan.slices))(t, epilogue);
      });
    };
    if (along) split.for_tiles([&](index_t i, index_t mr) { rows_from(i, mr, 1); });
    else split.for_runs(rows_from);
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
