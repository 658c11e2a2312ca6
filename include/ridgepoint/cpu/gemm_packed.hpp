// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/ops/gemm_packed.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Panels of nr columns, each k rows of nr adjacent values, the last padded with zeros.
template <std::floating_point T>
void execute(const cpu& on, const pack_b_args<T>& g) {
  constexpr index_t nr = kernels::gemm_tile_shape::vectors * simd::lanes<T>;
  const index_t panels = ceil_div(g.b.cols, nr);
  *g.elements = panels * nr * g.b.rows;
  if (g.packed == nullptr || g.b.rows == 0) return;
  parallel_for(on.thread_count(), panels, [&](index_t panel) {
    const index_t j = panel * nr;
    kernels::pack_b_panel(g.b.block(0, j, g.b.rows, std::min(nr, g.b.cols - j)), nr, g.packed + j * g.b.rows);
  });
}

template <std::floating_point T>
void execute(const cpu& on, const gemm_packed_args<T>& g) {
  constexpr index_t mr = kernels::gemm_tile_shape::rows, nr = kernels::gemm_tile_shape::vectors * simd::lanes<T>;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const gemm_args<T> whole{.a = g.a, .b = {nullptr, k, n}, .c = g.c, .options = g.options};
  if (m == 0 || n == 0) return;
  if (k == 0) return execute(on, whole);
  const kernels::gemm_plan plan =
      kernels::plan_tiles<T>(m, n, k, {g.a.row_stride, g.a.col_stride}, {n, 1}, detail::gemm_host_caches());
  const kernels::gemm_grid grid = kernels::plan_grid<T>(m, n, k, on.thread_count());
  const index_t height = round_up(ceil_div(m, grid.rows), mr), width = round_up(ceil_div(n, grid.cols), nr);
  detail::for_blocks(on, whole, height, width, [&](const gemm_args<T>& block, index_t j) {
    kernels::gemm_block(plan, block, g.packed + j * k);
    kernels::finish_activation(g.options.act, block.c);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
