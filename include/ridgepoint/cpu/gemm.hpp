// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/cpu/native_cpu.hpp>
#include <ridgepoint/kernels/gemm/dot.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/gemv.hpp>
#include <ridgepoint/kernels/gemm/in_place.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/kernels/gemm/outer.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

template <std::floating_point T>
void execute(const native_cpu& on, const gemm_args<T>& g);

namespace detail {

[[nodiscard]] inline const kernels::gemm_caches& gemm_host_caches() noexcept {
  static const kernels::gemm_caches caches = [] {
    const cache_sizes& host = host_caches();
    kernels::gemm_caches found;
    if (host.l1_bytes != 0) found.l1 = static_cast<index_t>(host.l1_bytes);
    if (host.l2_bytes != 0) found.l2 = static_cast<index_t>(host.l2_bytes);
    return found;
  }();
  return caches;
}

/// What a plan must know of the options.
template <class T>
[[nodiscard]] kernels::gemm_result result_of(const gemm_options<T>& options) noexcept {
  return kernels::is_plain(options) ? kernels::gemm_result::product : kernels::gemm_result::finished;
}

template <class T>
[[nodiscard]] kernels::operand_layout layout_of_a(const gemm_args<T>& g) noexcept {
  return {g.a.row_stride, g.a.col_stride};
}
/// A single column has no next one.
template <class T>
[[nodiscard]] kernels::operand_layout layout_of_b(const gemm_args<T>& g) noexcept {
  return {g.b.row_stride, g.b.cols == 1 ? 1 : g.b.col_stride};
}

/// The plan of C as it is: execute() computes some as Cᵀ.
template <class T>
[[nodiscard]] kernels::gemm_plan plan(const gemm_args<T>& g) noexcept {
  return kernels::plan_gemm<T>(g.c.rows, g.c.cols, g.a.cols, layout_of_a(g), layout_of_b(g), gemm_host_caches(),
                               result_of(g.options));
}

/// The problem of one block of C, with its share of A, B and the bias.
template <class T>
[[nodiscard]] gemm_args<T> block(gemm_args<T> g, index_t i, index_t j, index_t height, index_t width) noexcept {
  g.a = g.a.block(i, 0, height, g.a.cols);
  g.b = g.b.block(0, j, g.b.rows, width);
  g.c = g.c.block(i, j, height, width);
  if (g.options.bias != nullptr) g.options.bias += j;
  return g;
}

/// body(problem, j) for every height × width block of C, in parallel; j is the block's first column.
template <class T, class Body>
void for_blocks(const native_cpu& on, const gemm_args<T>& g, index_t height, index_t width, Body&& body) {
  const index_t m = g.c.rows, n = g.c.cols, down = ceil_div(m, height), across = ceil_div(n, width);
  parallel_for(on.thread_count(), down * across, [&](index_t part) {
    const index_t i = part / across * height, j = part % across * width;
    body(block(g, i, j, std::min(height, m - i), std::min(width, n - j)), j);
  });
}

/// c(i, j) ← f(α·product(j) + β·c + bias) for one row, the products made contiguous first.
template <class T>
void gemv_block(const gemm_args<T>& g) {
  struct tag;
  const index_t n = g.c.cols, k = g.a.cols;
  const bool plain = g.options.alpha == T(1) && kernels::is_plain(g.options);
  T* const memory = static_cast<T*>(thread_scratch<tag>(static_cast<std::size_t>((n + k) * index_t{sizeof(T)})));
  T* const product = plain && g.c.col_stride == 1 ? g.c.data : memory;
  const T* x = g.a.data;
  if (g.a.col_stride != 1) {
    for (index_t p = 0; p < k; ++p) memory[n + p] = g.a(0, p);
    x = memory + n;
  }
  kernels::gemv(x, g.b, product);
  if (product == g.c.data) return;
  for (index_t j = 0; j < n; ++j) kernels::finish_element(g.options, j, product[j], g.c(0, j));
}

/// C as dot products of the rows of A and the columns of B at b, ld apart; all_rows: of the whole problem.
template <class T>
void run_dots(const gemm_args<T>& g, const T* b, index_t ld, index_t all_rows) noexcept {
  kernels::gemm_dot(
      g.c.rows, g.c.cols, all_rows,
      {.k = g.a.cols, .a = g.a.data, .a_ld = g.a.row_stride, .b = b, .b_ld = ld, .c = g.c.data, .ldc = g.c.row_stride},
      g.options);
}

/// Narrow C: B is turned once so that both operands are contiguous in k.
template <class T>
void dot_block(const native_cpu& on, const gemm_args<T>& g) {
  struct tag;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const T* b = g.b.data;
  index_t ld = g.b.col_stride;
  if (g.b.row_stride != 1) {
    ld = round_up(k, 16) + 16;
    T* const turned = static_cast<T*>(
        thread_scratch<tag>(static_cast<std::size_t>(kernels::turned_rows<T>(n) * ld * index_t{sizeof(T)})));
    if (g.b.col_stride == 1) {
      kernels::turn(g.b, turned, ld);
    } else {
      for (index_t j = 0; j < n; ++j)
        for (index_t p = 0; p < k; ++p) turned[j * ld + p] = g.b(p, j);
    }
    b = turned;
  }
  const index_t parts = m * n >= 1'000'000 / k ? on.thread_count() : 1;
  for_blocks(on, g, round_up(ceil_div(m, parts), 8), n,
             [&](const gemm_args<T>& part, index_t) { run_dots(part, b, ld, m); });
}

/// One block of C on the register tiles of `plan`, or as an outer product. `packed`, if given, is B in the form of
/// pack_b().
template <class T>
void run_block(const kernels::gemm_plan& plan, const gemm_args<T>& g, const T* packed = nullptr) {
  switch (plan.family) {
    case kernels::gemm_family::in_place:
      kernels::gemm_in_place(plan, g);
      break;
    case kernels::gemm_family::outer:
      kernels::gemm_outer(g.options.alpha, g.a, g.b, g.c);
      break;
    default:
      kernels::gemm_block(plan, g, packed);
  }
  kernels::finish_activation(g.options.act, g.c);
}

/// Element by element: so few multiplications that the choice of a tile takes longer.
template <class T>
RIDGEPOINT_NOINLINE void run_elements(const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, a_step = g.a.col_stride, b_step = g.b.row_stride;
  const bool plain = kernels::is_plain(g.options);
  const T alpha = g.options.alpha;
  for (index_t i = 0; i < m; ++i) {
    T* const row = g.c.data + i * g.c.row_stride;
    for (index_t j = 0; j < n; ++j) {
      const T* a = g.a.data + i * g.a.row_stride;
      const T* b = g.b.data + j * g.b.col_stride;
      T sum = *a * *b;
      for (index_t p = 1; p < k; ++p) a += a_step, b += b_step, sum += *a * *b;
      if (plain) row[j] = alpha * sum;
      else kernels::finish_element(g.options, j, sum, row[j]);
    }
  }
  kernels::finish_activation(g.options.act, g.c);
}

/// A small product of a row-major B.
template <class T>
RIDGEPOINT_NOINLINE void run_small(const gemm_args<T>& g) {
  run_block(kernels::plan_small<T>(g.c.rows, g.c.cols, g.a.cols, result_of(g.options)), g);
}

/// run_block() for the blocks of a grid of threads.
template <class T>
void run_blocks(const native_cpu& on, const kernels::gemm_plan& plan, const gemm_args<T>& g,
                const T* packed = nullptr) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const kernels::gemm_grid grid = kernels::plan_grid<T>(m, n, k, on.thread_count());
  if (grid.rows * grid.cols == 1) return run_block(plan, g, packed);
  for_blocks(on, g, round_up(ceil_div(m, grid.rows), plan.mr),
             round_up(ceil_div(n, grid.cols), kernels::panel_width<T>), [&](const gemm_args<T>& part, index_t j) {
               run_block(plan, part, packed == nullptr ? nullptr : packed + j * k);
             });
}

/// The same problem with B, stored by columns, made row-major in memory of this thread.
template <class T>
[[nodiscard]] gemm_args<T> with_turned_b(gemm_args<T> g) {
  struct tag;
  const index_t n = g.b.cols, k = g.b.rows, ld = round_up(n, simd::lanes<T>);
  T* const turned = static_cast<T*>(
      thread_scratch<tag>(static_cast<std::size_t>(kernels::turned_rows<T>(k) * ld * index_t{sizeof(T)})));
  kernels::turn(g.b.transposed(), turned, ld);
  g.b = {turned, k, n, ld};
  return g;
}

/// The activation that no kernel applies, along a column of C where that is all there is.
template <class T>
void finish_lines(const gemm_args<T>& g) noexcept {
  const bool column = g.c.cols == 1 && g.c.row_stride == 1;
  kernels::finish_activation(g.options.act, column ? g.c.transposed() : g.c);
}

/// One row of C, or the elements of a narrow one, on the family of `plan`; every other family in blocks.
template <class T>
void run_plan(const native_cpu& on, const kernels::gemm_plan& plan, const gemm_args<T>& g) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  switch (plan.family) {
    case kernels::gemm_family::nothing:
      return;
    case kernels::gemm_family::scale:
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) kernels::finish_element(g.options, j, T(0), g.c(i, j));
      break;
    case kernels::gemm_family::element:
      return run_elements(g);
    case kernels::gemm_family::vector: {
      const index_t parts = n >= 1'000'000 / k ? on.thread_count() : 1;
      for_blocks(on, g, 1, round_up(ceil_div(n, parts), 64),
                 [](const gemm_args<T>& part, index_t) { gemv_block(part); });
      break;
    }
    case kernels::gemm_family::dot:
      dot_block(on, g);
      break;
    default:
      return run_blocks(on, plan, plan.turn_b ? with_turned_b(g) : g);
  }
  finish_lines(g);
}

/// A narrow C of a transposed A: Cᵀ = Bᵀ·Aᵀ, whose rows are long, and then turned.
template <class T>
void run_turned(const native_cpu& on, const gemm_args<T>& g) {
  struct tag;
  constexpr index_t edge = simd::transpose_edge<T>;
  const index_t m = g.c.rows, n = g.c.cols;
  // Whole squares, where a row's surplus falls on rows of C that are still to be written.
  const bool squares = n <= edge && kernels::is_plain(g.options) && g.options.alpha == T(1) && g.c.row_stride == n;
  T* const memory =
      static_cast<T*>(thread_scratch<tag>(static_cast<std::size_t>((squares ? edge : n) * m) * sizeof(T)));
  const matrix_view<T> turned(memory, n, m);
  execute(on, gemm_args<T>{.a = g.b.transposed(), .b = g.a.transposed(), .c = turned});
  index_t i = 0;
  if (squares)
    for (; (i + edge - 1) * n + edge <= m * n; i += edge) simd::transpose_square(memory + i, m, g.c.data + i * n, n);
  for (; i < m; ++i)
    for (index_t j = 0; j < n; ++j) kernels::finish_element(g.options, j, turned(j, i), g.c(i, j));
  kernels::finish_activation(g.options.act, g.c);
}

/// A small product as dot products of rows of A and columns of B, both stored along the depth.
template <class T>
RIDGEPOINT_NOINLINE void run_small_dot(const gemm_args<T>& g) {
  run_dots(g, g.b.data, g.b.col_stride, g.c.rows);
  finish_lines(g);
}

/// What is left for execute(): products large enough, or stored so, that a plan pays.
template <class T>
RIDGEPOINT_NOINLINE void run_large(const native_cpu& on, const gemm_args<T>& g) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  if (g.c.col_stride != 1 && n > 1) {
    if (g.c.row_stride == 1 && g.options.bias == nullptr)
      return execute(
          on, gemm_args<T>{.a = g.b.transposed(), .b = g.a.transposed(), .c = g.c.transposed(), .options = g.options});
    host_buffer memory(static_cast<std::size_t>(m * n) * sizeof(T));
    const matrix_view<T> dense(static_cast<T*>(memory.data()), m, n);
    if (g.options.beta != T(0))
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) dense(i, j) = g.c(i, j);
    execute(on, gemm_args<T>{.a = g.a, .b = g.b, .c = dense, .options = g.options});
    for (index_t i = 0; i < m; ++i)
      for (index_t j = 0; j < n; ++j) g.c(i, j) = dense(i, j);
    return;
  }
  // A vector times a matrix stored the other way: of the transposed product the rows are contiguous.
  const bool row = m == 1 && n > 1 && g.b.col_stride != 1 && g.b.row_stride == 1,
             column = n == 1 && m > 1 && (g.a.col_stride != 1 || k == 1) && g.a.row_stride == 1 && g.c.row_stride == 1;
  if ((row || column) && g.options.bias == nullptr)
    return execute(
        on, gemm_args<T>{.a = g.b.transposed(), .b = g.a.transposed(), .c = g.c.transposed(), .options = g.options});
  if (kernels::gains_turned<T>(m, n, layout_of_a(g))) return run_turned(on, g);
  run_plan(on, plan(g), g);
}

}  // namespace detail

/// Schedules C ← f(α·A·B + β·C + bias): the plan picks the family (kernels/gemm/plan.hpp), the grid shares C among
/// threads.
///
/// A C whose columns are contiguous is computed as Cᵀ = Bᵀ·Aᵀ; one with neither stride 1 through a dense temporary.
template <std::floating_point T>
void execute(const native_cpu& on, const gemm_args<T>& g) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  if (kernels::is_small<T>(m, n, k) && g.c.col_stride == 1) {
    if (kernels::is_tiny(m, n, k)) return detail::run_elements(g);
    const kernels::operand_layout a = detail::layout_of_a(g), b = detail::layout_of_b(g);
    if (kernels::is_small_dot<T>(m, n, k, a, b)) return detail::run_small_dot(g);
    if (kernels::gains_turned<T>(m, n, a)) return detail::run_turned(on, g);
    if (b.col_stride == 1 && (n > 1 || (a.col_stride == 1 && k <= kernels::shallow_column<T> && k > 1)))
      return detail::run_small(g);
  }
  detail::run_large(on, g);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
