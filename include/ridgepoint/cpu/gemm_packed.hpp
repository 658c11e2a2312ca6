// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/ops/gemm_packed.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {
/// Whether a product of row-major A and B packs B on its way.
template <std::floating_point T>
[[nodiscard]] bool packs_b(index_t m, index_t n, index_t k) {
  const kernels::gemm_plan plan = kernels::plan_gemm<T>(m, n, k, {k, 1}, {n, 1}, gemm_host_caches());
  return plan.family == kernels::gemm_family::packed;
}
}  // namespace detail

/// Panels of nr columns, each k rows of nr adjacent values, the last padded with zeros.
template <std::floating_point T>
void execute(const native_cpu& on, const pack_b_args<T>& g) {
  constexpr index_t nr = kernels::panel_width<T>;
  const index_t panels = ceil_div(g.b.cols, nr);
  if (g.elements != nullptr) {
    const bool gains = g.rows == 0 || detail::packs_b<T>(g.rows, g.b.cols, g.b.rows);
    *g.elements = gains ? panels * nr * g.b.rows : 0;
  }
  if (g.packed == nullptr || g.b.rows == 0) return;
  parallel_for(on.thread_count(), panels, [&](index_t panel) {
    const index_t j = panel * nr;
    kernels::pack_b_panel(g.b.block(0, j, g.b.rows, std::min(nr, g.b.cols - j)), g.packed + j * g.b.rows);
  });
}

template <std::floating_point T>
void execute(const native_cpu& on, const gemm_packed_args<T>& g) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const gemm_args<T> whole{.a = g.a, .b = {g.packed, k, n}, .c = g.c, .options = g.options};  // b for its extents only
  if (m == 0 || n == 0) return;
  if (k == 0) return execute(on, whole);
  const kernels::gemm_plan plan =
      kernels::plan_packed<T>(m, n, k, {g.a.row_stride, g.a.col_stride}, {n, 1}, detail::gemm_host_caches());
  detail::run_blocks(on, plan, whole, g.packed);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
