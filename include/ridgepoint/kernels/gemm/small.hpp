// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/kernels/gemm/in_place.hpp>
#include <ridgepoint/kernels/gemm/small_tile.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Multiplications of a product that L1 and L2 hold, so that nothing has to be fetched.
inline constexpr index_t most_small_product = 64 * 64 * 64;

/// Rows and vectors of the tiles of a small product: those predicted to take least time, if they sum the depth in as
/// many parts as the plan's own, else the plan's.
template <class T>
[[nodiscard]] std::pair<index_t, int> small_tile(const gemm_plan& plan, index_t m, index_t n, index_t k) noexcept {
  const index_t vectors = ceil_div(n, simd::lanes<T>);
  const int nv =
      (std::max)(cost::panel_of_small(native_unit, m, vectors, k), vectors > 1 ? 2 : 1);  // as for_panels() wants them
  const tile_split split = tile_split::of(m, tallest_tile(native_unit, nv));
  const bool same = tile_slices(split.rows, nv, k) == plan.slices;
  return same ? std::pair{index_t{tallest_tile(native_unit, nv)}, nv} : std::pair{plan.mr, plan.nv};
}

/// Steps in depth, in fours, of which a whole vector lies inside a B of fewer columns: what it has too many is of the
/// rows below.
template <class T>
[[nodiscard]] constexpr index_t whole_steps(index_t k, index_t ldb) noexcept {
  return std::max<index_t>(0, k - ceil_div(simd::lanes<T>, ldb)) / 4 * 4;
}

/// The runs of C(m×n) ← α·A(m×k)·B(k×n) + β·C; count is 0 where they would be too many, or the product is not small.
/// The depth is summed in as many parts as by `plan`, so that both give the same bits.
/// Requires: B row-major, C of adjacent columns; no bias, no activation.
template <class T>
[[nodiscard]] small_product<T> prepare_small(const gemm_plan& plan, const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, ldc = g.c.row_stride;
  small_product<T> made;
  if (!are_few(m, n, k, most_small_product)) return made;
  const auto [most_rows_of_tile, widest] = small_tile<T>(plan, m, n, k);
  const tile_split split = tile_split::of(m, most_rows_of_tile);
  std::size_t count = 0;
  const auto append = [&](index_t i, index_t mr, index_t tiles, index_t j, index_t panels, int nv, index_t last_at,
                          index_t last, index_t b_tile) {
    const bool along = b_tile != 0;
    if (count++ >= small_product<T>::most_runs) return;
    small_run<T>& run = made.runs[count - 1];
    run = {.a = i * g.a.row_stride,
           .b = j,
           .c = i * ldc + j,
           .of = {.tiles = along ? panels : tiles,
                  .k = k,
                  .a_tile = along ? 0 : mr * g.a.row_stride,
                  .a_row = g.a.row_stride,
                  .a_step = g.a.col_stride,
                  .b_tile = b_tile,
                  .b_step = g.b.row_stride,
                  .c_tile = along ? b_tile : mr * ldc,
                  .ldc = ldc,
                  .last_at = last_at,
                  .last = last,
                  .whole_b = last < simd::lanes<T> ? whole_steps<T>(k, g.b.row_stride) : k,
                  .epilogue = {.alpha = g.options.alpha, .beta = g.options.beta},
                  .slices = plan.slices,
                  .narrow_b = last < simd::lanes<T>}};
    run.of.leave(native_unit, nv);
    run.tile = small_tile_for(run.of, mr, nv);
    if (run.tile == nullptr) run.tile = tile_in_place<T>(mr, nv);
  };
  // One run along the rows of C for each row of tiles, or one down them for each panel: whichever are fewer.
  for_panels<T>(n, widest, [&](index_t j, index_t panels, int nv, index_t last_at, index_t last) {
    const index_t width = nv * simd::lanes<T>;
    if (split.tiles < 2 * panels) {
      split.for_tiles([&](index_t i, index_t mr) { append(i, mr, 1, j, panels, nv, last_at, last, width); });
    } else {
      for (index_t q = 0; q < panels; ++q)
        split.for_runs([&](index_t i, index_t mr, index_t tiles) {
          append(i, mr, tiles, j + q * width, 1, nv, last_at, last, 0);
        });
    }
  });
  made.count = count <= small_product<T>::most_runs ? static_cast<int>(count) : 0;
  return made;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
