// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/kernels/array/array_kernels.hpp>
#include <ridgepoint/ops/array_gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Blocked, and bit for bit equal to the definition: lanes and tiles split rows and columns of C, never a sum.
///
/// Both operands are packed and rounded: B in panels of nr columns, 512 columns at a time; A in blocks of up to 96 rows
/// per thread. A fold of a panel (128·16 values, 8 KiB) stays in L1 while the tiles of a block use it.
template <cpu_backend On, array_format Format>
void execute(const On& on, const array_gemm_args<Format>& g) {
  constexpr index_t most_cols = 512;
  const index_t mr = kernels::tile_rows(on.vectors()), nr = kernels::panel_width<float>(on.vectors()),
                most_rows = 96 / mr * mr;
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
  const index_t nc = (std::min)(round_up(n, nr), most_cols);
  const index_t mc = (std::min)(round_up(ceil_div(m, team), mr), most_rows);
  float* const b = thread_scratch_of<b_tag, float>(k * nc);

  for (index_t j0 = 0; j0 < n; j0 += nc) {
    const index_t width = (std::min)(nc, n - j0), panels = ceil_div(width, nr);
    parallel_for(team, panels, [&](index_t panel) {
      const index_t j = panel * nr;
      on.template call<kernels::array_pack<Format>>(g.b.block(0, j0 + j, k, (std::min)(nr, width - j)), nr, b + j * k);
    });
    parallel_for(team, ceil_div(m, mc), [&](index_t block) {
      const index_t i0 = block * mc, height = (std::min)(mc, m - i0);
      array_gemm_args<Format> part = g;
      part.a = g.a.block(i0, 0, height, k), part.c = g.c.block(i0, j0, height, width);
      on.template call<kernels::array_block<Format>>(part, b, thread_scratch_of<a_tag, float>(k * mc));
    });
  }
}
template <array_format Format>
type_list<kernels::array_pack<Format>, kernels::array_block<Format>> kernels_of(const array_gemm_args<Format>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
