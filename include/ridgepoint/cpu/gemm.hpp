// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/cpu/caches.hpp>
#include <ridgepoint/cpu/cpu.hpp>
#include <ridgepoint/kernels/gemm/dot.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/gemv.hpp>
#include <ridgepoint/kernels/gemm/macrokernel.hpp>
#include <ridgepoint/ops/gemm.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace detail {

[[nodiscard]] inline const kernels::gemm_caches& gemm_host_caches() noexcept {
  static const kernels::gemm_caches caches = [] {
    const cache_sizes& host = host_caches();
    kernels::gemm_caches found;
    if (host.l1_bytes != 0) found.l1 = static_cast<index_t>(host.l1_bytes);
    if (host.l2_bytes != 0) found.l2 = static_cast<index_t>(host.l2_bytes);
    if (host.l3_bytes != 0) found.l3 = static_cast<index_t>(host.l3_bytes);
    return found;
  }();
  return caches;
}

template <class T>
[[nodiscard]] kernels::gemm_plan plan(const gemm_args<T>& g) noexcept {
  return kernels::plan_gemm<T>(g.c.rows, g.c.cols, g.a.cols, {g.a.row_stride, g.a.col_stride},
                               {g.b.row_stride, g.b.col_stride}, gemm_host_caches());
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
void for_blocks(const cpu& on, const gemm_args<T>& g, index_t height, index_t width, Body&& body) {
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
  const auto& [alpha, beta, bias, act] = g.options;
  const bool plain = alpha == T(1) && beta == T(0) && bias == nullptr && act != activation::relu;
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

/// Narrow C: B is turned once so that both operands are contiguous in k.
template <class T>
void dot_block(const cpu& on, const gemm_args<T>& g) {
  struct tag;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const T* b = g.b.data;
  index_t ld = g.b.col_stride;
  if (g.b.row_stride != 1) {
    ld = round_up(k, 16) + 16;
    T* const turned = static_cast<T*>(thread_scratch<tag>(static_cast<std::size_t>(n * ld * index_t{sizeof(T)})));
    if (g.b.col_stride == 1) {
      kernels::transpose(g.b.data, g.b.row_stride, k, n, turned, ld);
    } else {
      for (index_t j = 0; j < n; ++j)
        for (index_t p = 0; p < k; ++p) turned[j * ld + p] = g.b(p, j);
    }
    b = turned;
  }
  const index_t parts = m * n >= 1'000'000 / k ? on.thread_count() : 1;
  for_blocks(on, g, round_up(ceil_div(m, parts), 8), n, [&](const gemm_args<T>& part, index_t) {
    const bool plain = g.options.beta == T(0) && g.options.bias == nullptr && g.options.act != activation::relu;
    kernels::dot_block(part.c.rows, n, k, part.a.data, part.a.row_stride, b, ld,
                       [&](index_t i, index_t j, auto count, const T* products) {
                         T* const c = &part.c(i, j);
                         for (int q = 0; q < count; ++q) {
                           if (plain) c[q * part.c.col_stride] = g.options.alpha * products[q];
                           else kernels::finish_element(g.options, j + q, products[q], c[q * part.c.col_stride]);
                         }
                       });
  });
}

/// Register tiles over a grid of blocks of C, one to a thread. `packed`, if given, is B in the form of pack_b().
template <class T>
void run_tiles(const cpu& on, const kernels::gemm_plan& plan, const gemm_args<T>& g, const T* packed = nullptr) {
  constexpr index_t mr = kernels::gemm_tile_shape::rows, nr = kernels::gemm_tile_shape::vectors * simd::lanes<T>;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  const kernels::gemm_grid grid = kernels::plan_grid<T>(m, n, k, on.thread_count());
  for_blocks(on, g, round_up(ceil_div(m, grid.rows), mr), round_up(ceil_div(n, grid.cols), nr),
             [&](const gemm_args<T>& part, index_t j) {
               kernels::gemm_block(plan, part, packed == nullptr ? nullptr : packed + j * k);
               kernels::finish_activation(g.options.act, part.c);
             });
}

}  // namespace detail

/// Schedules C ← f(α·A·B + β·C + bias): the plan picks the family (kernels/gemm/plan.hpp), the grid shares C among
/// threads.
///
/// A C whose columns are contiguous is computed as Cᵀ = Bᵀ·Aᵀ; one with neither stride 1 through a dense temporary.
template <std::floating_point T>
void execute(const cpu& on, const gemm_args<T>& g) {
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
  if (m == 1 && n > 1 && g.b.col_stride != 1 && g.b.row_stride == 1 &&
      g.options.bias == nullptr)  // y = x·B is Bᵀ·x: rows of Bᵀ are contiguous
    return execute(
        on, gemm_args<T>{.a = g.b.transposed(), .b = g.a.transposed(), .c = g.c.transposed(), .options = g.options});

  const kernels::gemm_plan plan = detail::plan(g);
  switch (plan.family) {
    case kernels::gemm_family::nothing: return;
    case kernels::gemm_family::scale:
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) kernels::finish_element(g.options, j, T(0), g.c(i, j));
      break;
    case kernels::gemm_family::vector: {
      const index_t parts = n >= 1'000'000 / k ? on.thread_count() : 1;
      detail::for_blocks(on, g, 1, round_up(ceil_div(n, parts), 64),
                         [](const gemm_args<T>& part, index_t) { detail::gemv_block(part); });
      break;
    }
    case kernels::gemm_family::dot: detail::dot_block(on, g); break;
    case kernels::gemm_family::tiles: return detail::run_tiles(on, plan, g);
  }
  const bool dense_column = n == 1 && g.c.row_stride == 1;
  kernels::finish_activation(g.options.act, m == 1         ? matrix_view<T>(g.c.data, 1, n)
                                            : dense_column ? g.c.transposed()
                                                           : g.c);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
