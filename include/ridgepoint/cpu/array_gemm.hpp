// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/kernels/array/pack.hpp>
#include <ridgepoint/ops/array_gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Blocked, and bit for bit the definition: lanes and tiles cut rows and columns of C, never the order of a sum.
///
/// Both operands are packed, and rounded on the way: B in panels of nr columns, 512 columns at a time; A in blocks of
/// up to 96 rows for each thread. A fold of a panel (128·16 values, 8 KiB) stays in L1 while the tiles of a block pass.
template <array_format Format>
void execute(const native_cpu& on, const array_gemm_args<Format>& g) {
  constexpr index_t mr = kernels::array_tile_shape::rows,
                    nr = kernels::array_tile_shape::vectors * index_t{simd::lanes<float>};
  constexpr index_t most_rows = 96 / mr * mr, most_cols = 512;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (index_t i = 0; !g.accumulate && i < m; ++i)
      std::fill_n(g.c.data + i * g.c.row_stride, n, array_sum_t<Format>(0));
    return;
  }
  struct b_tag;
  struct a_tag;
  const int team = m * n >= 1'000'000 / k ? on.thread_count() : 1;
  const index_t nc = std::min(round_up(n, nr), most_cols);
  const index_t mc = std::min(round_up(ceil_div(m, team), mr), most_rows);
  float* const b = thread_scratch_of<b_tag, float>(k * nc);

  for (index_t j0 = 0; j0 < n; j0 += nc) {
    const index_t width = std::min(nc, n - j0), panels = ceil_div(width, nr);
    parallel_for(team, panels, [&](index_t panel) {
      const index_t j = panel * nr;
      kernels::pack_for_array<Format>(g.b.block(0, j0 + j, k, std::min(nr, width - j)), nr, b + j * k);
    });
    parallel_for(team, ceil_div(m, mc), [&](index_t block) {
      const index_t i0 = block * mc, height = std::min(mc, m - i0);
      const auto a = thread_scratch_of<a_tag, float>(k * mc);
      alignas(alignment_bytes) float tile[mr * nr];
      for (index_t i = 0; i < height; i += mr)
        kernels::pack_for_array<Format>(g.a.block(i0 + i, 0, std::min(mr, height - i), k).transposed(), mr, a + i * k);
      for (index_t p = 0; p < k; p += g.depth) {
        const index_t depth = std::min(g.depth, k - p);
        for (index_t j = 0; j < width; j += nr)
          for (index_t i = 0; i < height; i += mr) {
            kernels::fold_tile<mr, kernels::array_tile_shape::vectors>(depth, a + i * k + p * mr, b + j * k + p * nr,
                                                                       tile);
            kernels::accumulate_tile(tile, std::min(mr, height - i), std::min(nr, width - j), nr,
                                     p == 0 && !g.accumulate ? kernels::fold::first : kernels::fold::further,
                                     &g.c(i0 + i, j0 + j), g.c.row_stride);
          }
      }
    });
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
