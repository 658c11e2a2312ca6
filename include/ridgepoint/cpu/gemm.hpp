// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/core/scratch.hpp>
#include <ridgepoint/cpu/gemm_schedule.hpp>
#include <ridgepoint/cpu/past_caches.hpp>
#include <ridgepoint/kernels/gemm/gemv.hpp>
#include <ridgepoint/kernels/gemm/in_place.hpp>
#include <ridgepoint/kernels/gemm/outer.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

namespace detail {

/// to(i, j) ← from(i, j).
template <class T>
void copy(matrix_view<const T> from, matrix_view<T> to) noexcept {
  for (index_t i = 0; i < to.rows; ++i)
    for (index_t j = 0; j < to.cols; ++j) to(i, j) = from(i, j);
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

/// The workspace of a schedule, piece by piece.
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

/// body(problem, j, worker) for every block of C, in parallel; j is the block's first column.
template <class T, class Body>
void for_blocks(const native_cpu& on, const gemm_schedule& s, const gemm_args<T>& g, Body&& body) {
  const index_t m = g.c.rows, n = g.c.cols, down = ceil_div(m, s.height), across = ceil_div(n, s.width);
  parallel_for(on.thread_count(), down * across, [&](index_t part, index_t worker) {
    const index_t i = part / across * s.height, j = part % across * s.width;
    body(block(g, i, j, std::min(s.height, m - i), std::min(s.width, n - j)), j, worker);
  });
}

/// c(i, j) ← f(α·product(j) + β·c + bias) for one row, the products made contiguous first.
template <class T>
void gemv_block(const gemm_args<T>& g, T* memory) {
  const index_t n = g.c.cols, k = g.a.cols;
  const bool plain = g.options.alpha == T(1) && kernels::is_plain(g.options);
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
void dot_block(const native_cpu& on, const gemm_schedule& s, const gemm_args<T>& g, T* turned) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const T* b = g.b.data;
  index_t ld = g.b.col_stride;
  if (g.b.row_stride != 1) {
    ld = turned_ld(k);
    if (g.b.col_stride == 1) {
      kernels::turn(g.b, turned, ld);
    } else {
      for (index_t j = 0; j < n; ++j)
        for (index_t p = 0; p < k; ++p) turned[j * ld + p] = g.b(p, j);
    }
    b = turned;
  }
  for_blocks(on, s, g, [&](const gemm_args<T>& part, index_t, index_t) { run_dots(part, b, ld, m); });
}

/// One block of C on the register tiles of `plan`, or as an outer product. `packed`, if given, is B in the form of
/// pack_b(); `memory` is for what is packed here.
template <class T>
void run_block(const kernels::gemm_plan& plan, const gemm_args<T>& g, const T* packed, T* memory) {
  switch (plan.family) {
    case kernels::gemm_family::in_place:
      kernels::gemm_in_place(plan, g);
      break;
    case kernels::gemm_family::outer:
      kernels::gemm_outer(g.options.alpha, g.a, g.b, g.c);
      break;
    default:
      kernels::gemm_block(plan, g, packed, memory);
  }
  if (plan.streams) simd::end_stream();
  kernels::finish_activation(g.options.act, g.c);
}

/// Whether tiles write C once, past the caches.
template <class T>
[[nodiscard]] bool streams(const kernels::gemm_plan& plan, const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const bool tiles = plan.family == kernels::gemm_family::in_place || plan.family == kernels::gemm_family::packed;
  const bool once = g.options.act == activation::none || g.options.act == activation::relu;
  return tiles && once && k <= plan.kc && g.options.beta == T(0) &&
         stores_of_tiles(kernels::native_unit, m * k + k * n + m * n, g.c.data, n, g.c.row_stride) ==
             kernels::stores::streaming;
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
  const T* const packed = nullptr;
  run_block(kernels::plan_small<T>(kernels::native_unit, g.c.rows, g.c.cols, g.a.cols, result_of(g.options)), g, packed,
            static_cast<T*>(nullptr));
}

/// The same problem with B, stored by columns, made row-major in `memory`.
template <class T>
[[nodiscard]] gemm_args<T> with_turned_b(gemm_args<T> g, T* memory) {
  const index_t n = g.b.cols, k = g.b.rows, ld = round_up(n, simd::lanes<T>);
  kernels::turn(g.b.transposed(), memory, ld);
  g.b = {memory, k, n, ld};
  return g;
}

/// The activation that no kernel applies, along a column of C where that is all there is.
template <class T>
void finish_lines(const gemm_args<T>& g) noexcept {
  const bool column = g.c.cols == 1 && g.c.row_stride == 1;
  kernels::finish_activation(g.options.act, column ? g.c.transposed() : g.c);
}

/// One row of C, or the elements of a narrow one, on the family of the plan; every other family in blocks.
template <class T>
void run_plan(const native_cpu& on, const gemm_schedule& s, const gemm_args<T>& g, const gemm_memory<T>& memory,
              const T* packed) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  switch (s.plan.family) {
    case kernels::gemm_family::nothing:
      return;
    case kernels::gemm_family::scale:
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) kernels::finish_element(g.options, j, T(0), g.c(i, j));
      break;
    case kernels::gemm_family::element:
      return run_elements(g);
    case kernels::gemm_family::vector:
      for_blocks(on, s, g, [&](const gemm_args<T>& part, index_t, index_t worker) {
        gemv_block(part, memory.of_worker(worker));
      });
      break;
    case kernels::gemm_family::dot:
      dot_block(on, s, g, memory.b);
      break;
    default: {
      const gemm_args<T> whole = s.plan.turn_b ? with_turned_b(g, memory.b) : g;
      kernels::gemm_plan plan = s.plan;
      plan.streams = streams(plan, whole);
      if (m <= s.height && n <= s.width) return run_block(plan, whole, packed, memory.of_worker(0));
      return for_blocks(on, s, whole, [&](const gemm_args<T>& part, index_t j, index_t worker) {
        run_block(plan, part, packed == nullptr ? nullptr : packed + j * k, memory.of_worker(worker));
      });
    }
  }
  finish_lines(g);
}

/// A narrow C of a transposed A: Cᵀ = Bᵀ·Aᵀ, whose rows are long, and then turned.
template <class T>
void run_turned(const native_cpu& on, const gemm_schedule& s, const gemm_args<T>& g, const gemm_memory<T>& memory) {
  constexpr index_t edge = simd::transpose_edge<T>;
  const index_t m = g.c.rows, n = g.c.cols;
  const gemm_args<T> product = product_to_turn(g, memory.turned);
  run_plan<T>(on, s, product, memory, nullptr);
  index_t i = 0;
  if (turns_squares(g))
    for (; (i + edge - 1) * n + edge <= m * n; i += edge)
      simd::transpose_square(memory.turned + i, m, g.c.data + i * n, n);
  for (; i < m; ++i)
    for (index_t j = 0; j < n; ++j) kernels::finish_element(g.options, j, product.c(j, i), g.c(i, j));
  kernels::finish_activation(g.options.act, g.c);
}

/// g on its schedule. `packed`, if given, is B in the form of pack_b(). Requires: s.workspace_bytes() at `workspace`,
/// on a boundary.
template <class T>
void run(const native_cpu& on, const gemm_schedule& s, const gemm_args<T>& given, std::byte* workspace,
         const T* packed = nullptr) {
  const gemm_memory<T> memory(s, workspace);
  gemm_args<T> g = given;
  if (s.dense_c) {
    g.c = {memory.dense, g.c.rows, g.c.cols};
    if (g.options.beta != T(0)) copy(matrix_view<const T>(given.c), g.c);
  }
  if (s.transposed) g = transposed(g);
  if (s.turned) run_turned(on, s, g, memory);
  else run_plan(on, s, g, memory, packed);
  if (s.dense_c) copy(matrix_view<const T>(memory.dense, given.c.rows, given.c.cols), given.c);
}

/// A small product as dot products of rows of A and columns of B, both stored along the depth.
template <class T>
RIDGEPOINT_NOINLINE void run_small_dot(const gemm_args<T>& g) {
  run_dots(g, g.b.data, g.b.col_stride, g.c.rows);
  finish_lines(g);
}

/// What is left for execute(): products large enough, or stored so, that a schedule pays.
template <class T>
RIDGEPOINT_NOINLINE void run_large(const native_cpu& on, const gemm_args<T>& g) {
  struct tag;
  const gemm_schedule s = schedule(on, g);
  run(on, s, g, static_cast<std::byte*>(thread_scratch<tag>(s.workspace_bytes())));
}

}  // namespace detail

/// Schedules C ← f(α·A·B + β·C + bias): the plan picks the family (kernels/gemm/plan.hpp), the grid shares C among
/// threads.
///
/// A C whose columns are contiguous is computed as Cᵀ = Bᵀ·Aᵀ; one with neither stride 1 through a dense temporary.
template <std::floating_point T>
void execute(const native_cpu& on, const gemm_args<T>& g) {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  if (kernels::is_small<T>(kernels::native_unit, m, n, k) && g.c.col_stride == 1) {
    if (kernels::is_tiny(kernels::native_unit, m, n, k)) return detail::run_elements(g);
    const kernels::operand_layout a = detail::layout_of_a(g), b = detail::layout_of_b(g);
    if (kernels::is_small_dot<T>(kernels::native_unit, m, n, k, a, b)) return detail::run_small_dot(g);
    if (!kernels::gains_turned<T>(kernels::native_unit, m, n, a) && b.col_stride == 1 &&
        (n > 1 || (a.col_stride == 1 && k <= kernels::shallow_column<T>(kernels::native_unit) && k > 1)))
      return detail::run_small(g);
  }
  detail::run_large(on, g);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
