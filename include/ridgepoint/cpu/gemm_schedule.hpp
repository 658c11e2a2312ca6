// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include <ridgepoint/core/parallel.hpp>
#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/cpu/cpu_backend.hpp>
#include <ridgepoint/kernels/gemm/gemm_kernels.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// Schedule of one GEMM on the CPU: depends on extents, strides, options and the number of threads. Plain
/// data.
struct gemm_schedule {
  bool dense_c = false;           // a C with neither stride 1: computed in dense memory, and copied
  bool transposed = false;        // Cᵀ = Bᵀ·Aᵀ, by views only
  bool turned = false;            // a narrow C of a transposed A: Cᵀ in dense memory, then transposed
  kernels::gemm_plan plan;        // of the remaining product
  index_t height = 0, width = 0;  // of the blocks of C that threads compute
  index_t separate = 0;           // last columns of C that are computed by columns, after the others
  // Bytes of the workspace, in its order: dense C, Cᵀ, B made row-major or transposed, and a piece for every worker.
  std::size_t dense_bytes = 0, turned_bytes = 0, b_bytes = 0, worker_bytes = 0, workers = 0;

  [[nodiscard]] constexpr std::size_t workspace_bytes() const noexcept {
    return dense_bytes + turned_bytes + b_bytes + workers * worker_bytes;
  }
};

/// Returns the caches for plans: L1, L2 and, if L3 is near, a core's share of it for packed B.
[[nodiscard]] inline kernels::gemm_caches gemm_caches_of(const cache_sizes& host) noexcept {
  constexpr std::size_t fewest_sharers = 8, most_share = 8U << 20;  // a virtual machine may report another L3
  kernels::gemm_caches found;
  if (host.l1_bytes != 0) found.l1 = static_cast<index_t>(host.l1_bytes);
  if (host.l2_bytes != 0) found.l2 = static_cast<index_t>(host.l2_bytes);
  const std::size_t share = (std::min)(host.l3_bytes / (std::max)(host.l3_sharers, fewest_sharers), most_share);
  if (host.l3_is_near && static_cast<index_t>(share) > found.l2 / 2) found.panels = static_cast<index_t>(share);
  return found;
}
[[nodiscard]] inline const kernels::gemm_caches& gemm_host_caches() noexcept {
  static const kernels::gemm_caches caches = gemm_caches_of(host_caches());
  return caches;
}

using kernels::gemm_kernels;
using kernels::layout_of_a;
using kernels::layout_of_b;
using kernels::result_of;

/// Returns the plan of C untransposed: a schedule computes some C as Cᵀ.
template <class T>
[[nodiscard]] kernels::gemm_plan plan(kernels::vector_unit v, const gemm_args<T>& g) noexcept {
  return kernels::plan_gemm<T>(v, g.c.rows, g.c.cols, g.a.cols, layout_of_a(g), layout_of_b(g), gemm_host_caches(),
                               result_of(g.options));
}

/// Returns the problem as Cᵀ ← f(α·Bᵀ·Aᵀ + β·Cᵀ). Requires: no bias.
template <class T>
[[nodiscard]] gemm_args<T> transposed(const gemm_args<T>& g) noexcept {
  return {.a = g.b.transposed(), .b = g.a.transposed(), .c = g.c.transposed(), .options = g.options};
}

/// Returns the stride of the lines of B transposed for dot products: contiguous in k, each on a different cache set.
[[nodiscard]] constexpr index_t turned_ld(index_t k) noexcept { return round_up(k, 16) + 16; }

/// Returns true if Cᵀ is transposed in full squares, where a row's surplus overwrites rows of C not yet written.
template <class T>
[[nodiscard]] bool turns_squares(kernels::vector_unit v, const gemm_args<T>& g) noexcept {
  return g.c.cols <= kernels::transpose_edge<T>(v) && kernels::is_plain(g.options) && exactly(g.options.alpha, T(1)) &&
         g.c.row_stride == g.c.cols;
}

/// Format of B: as in the arguments, or packed by pack_b().
enum class b_form { as_it_is, packed };

/// Schedules g on a given plan: its blocks and its memory.
template <cpu_backend On, class T>
[[nodiscard]] gemm_schedule schedule_on(const On& on, const kernels::gemm_plan& given, const gemm_args<T>& g,
                                        b_form form = b_form::as_it_is) {
  using kernels::gemm_family;
  const kernels::vector_unit v = on.vectors();
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, threads = on.thread_count();
  const auto team = [&](index_t elements) { return elements >= 1'000'000 / k ? threads : 1; };
  gemm_schedule s;
  s.plan = kernels::scales_parts(g.options.alpha) ? given : kernels::with_all_depth<T>(v, given, k);
  const kernels::gemm_plan& plan = s.plan;
  switch (plan.family) {
    case gemm_family::nothing:
    case gemm_family::scale:
    case gemm_family::element:
      return s;
    case gemm_family::vector:
      s.height = 1, s.width = round_up(ceil_div(n, team(n)), 64);
      s.worker_bytes = piece_bytes<T>(s.width + k);
      break;
    case gemm_family::dot:
      s.height = round_up(ceil_div(m, team(m * n)), 8), s.width = n;
      if (g.b.row_stride != 1) s.b_bytes = piece_bytes<T>(kernels::turned_rows<T>(v, n) * turned_ld(k));
      break;
    case gemm_family::narrow:
      s.height = round_up(ceil_div(m, team(m * n)), 8), s.width = n;
      if (g.b.row_stride != n) s.b_bytes = piece_bytes<T>(k * n);
      break;
    case gemm_family::columns:
      s.height = round_up(ceil_div(m, team(m * n)), v.lanes<T>()), s.width = n;
      break;
    case gemm_family::outer:
    case gemm_family::in_place:
    case gemm_family::packed:
    default: {
      const kernels::gemm_grid grid = kernels::plan_grid<T>(v, m, n, k, threads);
      const bool whole = grid.rows * grid.cols == 1;
      s.height = whole ? m : round_up(ceil_div(m, grid.rows), plan.mr);
      s.width = whole ? n : round_up(ceil_div(n, grid.cols), kernels::panel_width<T>(v));
      if (plan.turn_b) s.b_bytes = piece_bytes<T>(kernels::turned_rows<T>(v, k) * round_up(n, v.lanes<T>()));
      if (plan.family == gemm_family::packed)
        s.worker_bytes = piece_bytes<T>(kernels::packed_a_elements<T>(v, plan, s.height) +
                                        (form == b_form::packed ? 0 : kernels::packed_b_elements<T>(v, plan, s.width)));
    }
  }
  s.workers = static_cast<std::size_t>((std::min)(threads, ceil_div(m, s.height) * ceil_div(n, s.width)));
  return s;
}

/// Returns the elements of B (k×n) packed by pack_b(): panels of nr columns, each k rows of nr adjacent values, the
/// last padded with zeros.
template <class T>
[[nodiscard]] constexpr index_t packed_elements(kernels::vector_unit v, index_t k, index_t n) noexcept {
  return round_up(n, kernels::panel_width<T>(v)) * k;
}
template <cpu_backend On, class T>
void pack_panels(const On& on, const matrix_view<const T>& b, T* to) {
  const index_t nr = kernels::panel_width<T>(on.vectors());
  if (b.rows == 0) return;
  parallel_for(on.thread_count(), ceil_div(b.cols, nr), [&](index_t panel) {
    const index_t j = panel * nr;
    on.template call<kernels::gemm_pack_panel<T>>(b.block(0, j, b.rows, (std::min)(nr, b.cols - j)), to + j * b.rows);
  });
}

/// Schedules a product with packed B; only the extents of g.b are used.
template <cpu_backend On, class T>
[[nodiscard]] gemm_schedule schedule_packed(const On& on, const gemm_args<T>& g) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  return schedule_on(on, kernels::plan_packed<T>(on.vectors(), m, n, k, layout_of_a(g), {n, 1}, gemm_host_caches()), g,
                     b_form::packed);
}

/// Returns true if the transposed product has contiguous lines: of C, or of a vector's operand. False with a bias,
/// which is added to rows.
template <class T>
[[nodiscard]] bool gains_transposed(const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  if (g.options.bias != nullptr) return false;
  if (n > 1 && g.c.col_stride != 1) return g.c.row_stride == 1;
  const bool row = m == 1 && n > 1 && g.b.col_stride != 1 && g.b.row_stride == 1;
  const bool column = n == 1 && m > 1 && (g.a.col_stride != 1 || k == 1) && g.a.row_stride == 1 && g.c.row_stride == 1;
  return row || column;
}

/// Returns the product that run_turned() computes with a plan: Cᵀ = Bᵀ·Aᵀ, whose rows are long.
template <class T>
[[nodiscard]] gemm_args<T> product_to_turn(const gemm_args<T>& g, T* memory) noexcept {
  return {.a = g.b.transposed(), .b = g.a.transposed(), .c = {memory, g.c.cols, g.c.rows}};
}

/// Schedules this product, with C transposed at the end.
template <cpu_backend On, class T>
[[nodiscard]] gemm_schedule schedule_turned(const On& on, const gemm_args<T>& g) {
  const gemm_args<T> product = product_to_turn(g, static_cast<T*>(nullptr));
  gemm_schedule s = schedule_on(on, plan(on.vectors(), product), product);
  s.turned = true;
  const index_t rows = turns_squares(on.vectors(), g) ? kernels::transpose_edge<T>(on.vectors()) : g.c.cols;
  s.turned_bytes = piece_bytes<T>(rows * g.c.rows);
  return s;
}

/// Returns true for a product that is small enough, in a suitable layout, to compute directly: as a row, by elements or
/// by dots.
template <class T>
[[nodiscard]] bool is_short(kernels::vector_unit v, const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const kernels::operand_layout a = layout_of_a(g), b = layout_of_b(g);
  return kernels::is_small<T>(v, m, n, k) && g.c.col_stride == 1 &&
         (kernels::is_small_row<T>(v, m, n, k, b) || kernels::is_small_column<T>(v, m, n, a, b) ||
          kernels::is_tiny(v, m, n, k) || kernels::is_small_dot<T>(v, m, n, k, a, b));
}

/// Returns the schedule with the least predicted time.
template <cpu_backend On, class T>
[[nodiscard]] gemm_schedule schedule(const On& on, const gemm_args<T>& given) {
  const kernels::vector_unit v = on.vectors();
  gemm_args<T> g = given;
  if (is_short(v, g)) return schedule_on(on, plan(v, g), g);
  const bool dense = g.c.cols > 1 && g.c.col_stride != 1 && !gains_transposed(g);
  if (dense) g.c = {g.c.data, g.c.rows, g.c.cols};
  const bool across = gains_transposed(g);
  if (across) g = transposed(g);
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const index_t separate = kernels::separate_columns<T>(v, m, n, k, layout_of_a(g), layout_of_b(g));
  const gemm_args<T> others = kernels::block(g, 0, 0, m, n - separate);
  gemm_schedule s = kernels::gains_turned<T>(v, m, n, k, layout_of_a(g)) ? schedule_turned(on, g)
                                                                         : schedule_on(on, plan(v, others), others);
  s.separate = separate;
  if (separate > 0) s.plan.cycles += kernels::plan_columns<T>(v, m, separate, k).cycles;
  s.dense_c = dense;
  s.transposed = across;
  if (dense) s.dense_bytes = piece_bytes<T>(g.c.rows * g.c.cols);
  return s;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
