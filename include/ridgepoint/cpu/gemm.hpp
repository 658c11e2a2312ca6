// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cpu/gemm_schedule.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>
#include <ridgepoint/ops/gemm_packed.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// to(i, j) ← from(i, j).
template <class T>
void copy(matrix_view<const T> from, matrix_view<T> to) noexcept {
  for (index_t i = 0; i < to.rows; ++i)
    for (index_t j = 0; j < to.cols; ++j) to(i, j) = from(i, j);
}

using kernels::block;

/// The pieces of a schedule's workspace.
template <class T>
struct gemm_memory {
  T *dense, *turned, *b;
  std::byte* workers;
  std::size_t worker_bytes;
  gemm_memory(const gemm_schedule& s, std::byte* memory) noexcept
      : dense(reinterpret_cast<T*>(memory)),
        turned(reinterpret_cast<T*>(memory + s.dense_bytes)),
        b(reinterpret_cast<T*>(memory + s.dense_bytes + s.turned_bytes)),
        workers(memory + s.dense_bytes + s.turned_bytes + s.b_bytes),
        worker_bytes(s.worker_bytes) {}
  [[nodiscard]] T* of_worker(index_t worker) const noexcept {
    return reinterpret_cast<T*>(workers + static_cast<std::size_t>(worker) * worker_bytes);
  }
};

/// Returns true if tiles write C once, with non-temporal stores.
template <class T>
[[nodiscard]] bool streams(kernels::vector_unit v, const kernels::gemm_plan& plan, const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const bool tiles = plan.family == kernels::gemm_family::in_place || plan.family == kernels::gemm_family::packed;
  const bool once = g.options.act == activation::none || g.options.act == activation::relu;
  return tiles && once && k <= plan.kc && exactly(g.options.beta, T(0)) &&
         stores_of_tiles(v, m * k + k * n + m * n, g.c.data, n, g.c.row_stride) == kernels::stores::streaming;
}

/// Makes the lines of B contiguous in the depth, with stride ld.
template <cpu_backend On, class T>
void turn_b(const On& on, const matrix_view<const T>& b, T* to, index_t ld) {
  if (b.col_stride == 1) return on.template call<kernels::turn_rows<T>>(b, to, ld);
  for (index_t j = 0; j < b.cols; ++j)
    for (index_t p = 0; p < b.rows; ++p) to[j * ld + p] = b(p, j);
}

/// Computes one block of C, whose extents are `all`, with the family of the plan. b: packed B, or the columns of B with
/// stride ld for dot products.
template <cpu_backend On, class T>
void run_part(const On& on, const kernels::gemm_plan& plan, const gemm_args<T>& part, const T* b, index_t ld,
              const matrix_view<T>& all, T* memory) {
  switch (plan.family) {
    case kernels::gemm_family::vector:
      return on.template call<kernels::gemm_row<T>>(part, all.cols, memory);
    case kernels::gemm_family::dot:
      return on.template call<kernels::gemm_dots<T>>(part, b, ld, all.rows);
    case kernels::gemm_family::narrow:
      return on.template call<kernels::gemm_narrow<T>>(part, b, all.rows);
    case kernels::gemm_family::columns:
      return on.template call<kernels::gemm_columns<T>>(part);
    case kernels::gemm_family::nothing:
    case kernels::gemm_family::scale:
    case kernels::gemm_family::element:
    case kernels::gemm_family::outer:
    case kernels::gemm_family::in_place:
    case kernels::gemm_family::packed:
    default:
      return on.template call<kernels::gemm_block<T>>(plan, part, b, memory);
  }
}

/// Computes g with the family of the plan, in blocks. `packed`: B in panels, or null.
template <cpu_backend On, class T>
void run_plan(const On& on, const gemm_schedule& s, const gemm_args<T>& given, const gemm_memory<T>& memory,
              const T* packed) {
  using kernels::gemm_family;
  kernels::gemm_plan plan = s.plan;
  if (plan.family == gemm_family::nothing) return;
  if (plan.family == gemm_family::scale) return on.template call<kernels::gemm_scale<T>>(given);
  if (plan.family == gemm_family::element) return on.template call<kernels::gemm_elements<T>>(given);
  gemm_args<T> g = given;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const T* b = packed;
  const index_t b_column = packed == nullptr ? 0 : k;  // elements of b from one column of C to the next
  index_t ld = 0;
  const bool lines = plan.family == gemm_family::vector || plan.family == gemm_family::dot ||
                     plan.family == gemm_family::narrow || plan.family == gemm_family::columns;
  if (plan.family == gemm_family::dot) {
    b = g.b.data, ld = g.b.col_stride;
    if (g.b.row_stride != 1) turn_b(on, g.b, memory.b, ld = turned_ld(k)), b = memory.b;
  } else if (plan.family == gemm_family::narrow) {
    b = g.b.data;
    if (g.b.row_stride != n) copy(g.b, matrix_view<T>(memory.b, k, n)), b = memory.b;
  } else if (!lines) {
    if (plan.turn_b) {
      const index_t turned = round_up(n, on.vectors().template lanes<T>());
      on.template call<kernels::turn_rows<T>>(g.b.transposed(), memory.b, turned);
      g.b = {memory.b, k, n, turned};
    }
    plan.streams = streams(on.vectors(), plan, g);
  }
  if (m <= s.height && n <= s.width) {
    run_part(on, plan, g, b, ld, g.c, memory.of_worker(0));
  } else {
    const index_t across = ceil_div(n, s.width);
    parallel_for(on.thread_count(), ceil_div(m, s.height) * across, [&](index_t part, index_t worker) {
      const index_t i = part / across * s.height, j = part % across * s.width;
      run_part(on, plan, block(g, i, j, (std::min)(s.height, m - i), (std::min)(s.width, n - j)), b + j * b_column, ld,
               g.c, memory.of_worker(worker));
    });
  }
  if (lines && g.options.act != activation::none && g.options.act != activation::relu)
    on.template call<kernels::finish_activation_of<T>>(g.options.act,
                                                       n == 1 && g.c.row_stride == 1 ? g.c.transposed() : g.c);
}

/// Computes a narrow C of a transposed A as Cᵀ = Bᵀ·Aᵀ, whose rows are long, and transposes it.
template <cpu_backend On, class T>
void run_turned(const On& on, const gemm_schedule& s, const gemm_args<T>& g, const gemm_memory<T>& memory) {
  run_plan<On, T>(on, s, product_to_turn(g, memory.turned), memory, nullptr);
  using kernels::turned_in;
  on.template call<kernels::gemm_finish_turned<T>>(
      g, memory.turned, turns_squares(on.vectors(), g) ? turned_in::squares : turned_in::elements);
}

/// Computes the last columns of C separately from the others, which fill registers. `packed`: B of the others in
/// panels, or null.
template <cpu_backend On, class T>
void run_in_two(const On& on, const gemm_schedule& s, const gemm_args<T>& g, const gemm_memory<T>& memory,
                const T* packed) {
  const index_t m = g.c.rows, others = g.c.cols - s.separate;
  run_plan(on, s, block(g, 0, 0, m, others), memory, packed);
  const gemm_args<T> last = block(g, 0, others, m, s.separate);
  gemm_schedule by_columns = schedule_on(on, {.family = kernels::gemm_family::columns}, last);
  if (m > s.height || others > s.width)  // the others are worth a team
    by_columns.height = round_up(ceil_div(m, on.thread_count()), on.vectors().template lanes<T>());
  run_plan<On, T>(on, by_columns, last, {by_columns, nullptr}, nullptr);
}

/// Computes g on its schedule. `packed`: B in panels of gemm_pack_panel, or null. Requires: s.workspace_bytes() at
/// `workspace`, aligned.
template <cpu_backend On, class T>
void run(const On& on, const gemm_schedule& s, const gemm_args<T>& given, std::byte* workspace,
         const T* packed = nullptr) {
  const gemm_memory<T> memory(s, workspace);
  gemm_args<T> g = given;
  if (s.dense_c) {
    g.c = {memory.dense, g.c.rows, g.c.cols};
    if (!exactly(g.options.beta, T(0))) copy(matrix_view<const T>(given.c), g.c);
  }
  if (s.transposed) g = transposed(g);
  if (s.turned) run_turned(on, s, g, memory);
  else if (s.separate == 0) run_plan(on, s, g, memory, packed);
  else run_in_two(on, s, g, memory, packed);
  if (s.dense_c) copy(matrix_view<const T>(memory.dense, given.c.rows, given.c.cols), given.c);
}

/// Computes a product that is too large for one kernel, or has another layout.
template <cpu_backend On, class T>
RIDGEPOINT_NOINLINE void run_large(const On& on, const gemm_args<T>& g) {
  struct tag;
  const gemm_schedule s = schedule(on, g);
  run(on, s, g, static_cast<std::byte*>(thread_scratch<tag>(s.workspace_bytes())));
}

}  // namespace detail

/// Computes C ← f(α·A·B + β·C + bias): the plan selects the family (kernels/gemm/plan.hpp), the grid divides C among
/// threads; a small product is one kernel (kernels/gemm/gemm_kernels.hpp).
///
/// A C whose columns are contiguous is computed as Cᵀ = Bᵀ·Aᵀ; one with neither stride 1 through a dense temporary.
template <cpu_backend On, std::floating_point T>
void execute(const On& on, const gemm_args<T>& g) {
  if (!on.template call<kernels::gemm_small<T>>(g)) detail::run_large(on, g);
}
template <std::floating_point T>
kernels::gemm_small<T> small_kernel_of(const gemm_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const gemm_batched_args<T>& g) {
  const auto& [a, b, c, options] = g.first;
  const bool by_steps = g.a_at == nullptr && g.b_at == nullptr && g.c_at == nullptr;
  const bool stacked =
      by_steps && g.b_step == 0 && g.a_step == a.rows * a.row_stride && g.c_step == c.rows * c.row_stride;
  if (stacked && g.count > 1) {
    gemm_args<T> tall = g.first;
    tall.a.rows *= g.count;
    tall.c.rows *= g.count;
    return execute(on, tall);
  }
  if (g.count < on.thread_count()) {
    for (index_t q = 0; q < g.count; ++q) execute(on, g[q]);
    return;
  }
  parallel_for(on.thread_count(), g.count, [&](index_t q) { execute(on.on_one_thread(), g[q]); });
}

template <std::floating_point T>
detail::gemm_kernels<T> kernels_of(const gemm_batched_args<T>&);

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const pack_b_args<T>& g) {
  if (g.elements != nullptr) *g.elements = detail::packed_elements<T>(on.vectors(), g.b.rows, g.b.cols);
  if (g.packed != nullptr) detail::pack_panels(on, g.b, g.packed);
}

template <cpu_backend On, std::floating_point T>
void execute(const On& on, const gemm_packed_args<T>& g) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const gemm_args<T> whole{.a = g.a, .b = {g.packed, k, n}, .c = g.c, .options = g.options};  // b for its extents only
  if (m == 0 || n == 0) return;
  if (k == 0) return execute(on, whole);
  struct tag;
  const detail::gemm_schedule s = detail::schedule_packed(on, whole);
  detail::run(on, s, whole, static_cast<std::byte*>(thread_scratch<tag>(s.workspace_bytes())), g.packed);
}

template <std::floating_point T>
type_list<kernels::gemm_pack_panel<T>> kernels_of(const pack_b_args<T>&);
template <std::floating_point T>
detail::gemm_kernels<T> kernels_of(const gemm_packed_args<T>&);

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
