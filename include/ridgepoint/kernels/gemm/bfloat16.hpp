// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/gemm/bfloat16_kernels.hpp>
#include <ridgepoint/kernels/gemm/gemm_kernels.hpp>
#include <ridgepoint/kernels/gemm/pack_pairs.hpp>
#include <ridgepoint/kernels/gemm/pair_tile.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/map/convert.hpp>
#include <ridgepoint/kernels/native_unit.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

template <class To, class From>
void convert_block<To, From>::run(const matrix_view<const From>& from, const matrix_view<To>& to) noexcept {
  if (from.col_stride != 1 && to.col_stride != 1) return run(from.transposed(), to.transposed());
  for (index_t i = 0; i < from.rows; ++i) {
    if (from.col_stride == 1 && to.col_stride == 1) {
      convert(&from(i, 0), &to(i, 0), from.cols);
    } else {
      for (index_t j = 0; j < from.cols; ++j) to(i, j) = static_cast<To>(static_cast<float>(from(i, j)));
    }
  }
}

namespace detail {

/// Rows of c ← f(α·sums + β·c + bias), rounded.
inline void finish_pairs(const gemm_args<bfloat16>& g, const float* sums) noexcept {
  using vec = simd::batch<float>;
  constexpr index_t lanes = simd::lanes<float>;
  const auto& [alpha, beta, bias, act, no_activation] = g.options;
  const vec scale(alpha), keep(beta), zero(0.0F);
  for (index_t i = 0; i < g.c.rows; ++i, sums += pair_tile::cols) {
    for (index_t j = 0; j < g.c.cols; j += lanes) {
      const index_t count = (std::min)(lanes, g.c.cols - j);
      bfloat16 spread[static_cast<std::size_t>(lanes)];
      bfloat16* const c = g.c.col_stride == 1 ? &g.c(i, j) : spread;
      if (c == spread && !exactly(beta, 0.0F))
        for (index_t l = 0; l < count; ++l) spread[l] = g.c(i, j + l);
      vec x = scale * simd::load(sums + j);
      if (!exactly(beta, 0.0F)) x = simd::fma(keep, count == lanes ? simd::load(c) : simd::load_partial(c, count), x);
      if (bias != nullptr) x = x + (count == lanes ? simd::load(bias + j) : simd::load_partial(bias + j, count));
      if (act == activation::relu) x = (simd::max)(x, zero);
      else if (act == activation::relu6) x = relu6<float>{}(x)[0];
      else if (act == activation::sigmoid) x = simd::sigmoid<float>(x);
      else if (act == activation::tanh) x = simd::tanh<float>(x);
      if (count == lanes) simd::store(c, x);
      else simd::store_partial(c, x, count);
      if (c == spread)
        for (index_t l = 0; l < count; ++l) g.c(i, j + l) = spread[l];
    }
  }
}

template <std::same_as<bfloat16> T>
void run_pair_block(const pair_schedule& s, const gemm_args<T>& g, const T* packed, std::byte* memory) noexcept {
  using tile = pair_tile;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  auto* const sums = reinterpret_cast<float*>(memory);
  auto* const packed_a = reinterpret_cast<bfloat16*>(memory + s.sums_bytes);
  auto* const packed_b = reinterpret_cast<bfloat16*>(memory + s.sums_bytes + s.a_bytes);
  index_t p = 0;
  do {
    const index_t depth = (std::min)(s.depth, k - p);
    const bool last = p + depth == k, only = last && p == 0;
    if (s.packs_a)
      for (index_t i = 0; i < m; i += tile::rows) {
        const index_t rows = std::min<index_t>(tile::rows, m - i);
        pack_pairs(g.a.block(i, p, rows, depth).transposed(), rows, packed_a + i * round_up(depth, 2));
      }
    for (index_t j = 0, panel = 0; j < n; j += tile::cols, ++panel) {
      const index_t cols = std::min<index_t>(tile::cols, n - j);
      pair_run run{.depth = depth, .continues = p > 0};
      if (s.b == pair_source::rows) {
        run.b = &g.b(p, j), run.b_row = g.b.row_stride, run.b_cols = cols;
      } else if (packed != nullptr) {
        run.b = packed + panel * packed_pairs(k, tile::cols) + p * tile::cols;
      } else {
        pack_pairs(pair_panel(g.b, panel, p, depth), tile::cols, packed_b);
        run.b = packed_b;
      }
      for (index_t i = 0; i < m; i += tile::rows) {
        const index_t rows = std::min<index_t>(tile::rows, m - i);
        run.a = s.packs_a ? packed_a + i * round_up(depth, 2) : &g.a(i, p);
        run.a_row = s.packs_a ? 2 : g.a.row_stride;
        run.a_step = s.packs_a ? 2 * rows : 2;
        run.sums = only ? sums : sums + (panel * s.height + i) * tile::cols;
        const index_t vectors = cols > tile::lanes ? 2 : 1;
        if (s.b == pair_source::rows) run_pairs<pair_source::rows>(rows, vectors, run);
        else run_pairs<pair_source::panel>(rows, vectors, run);
        if (last) finish_pairs(block(g, i, j, rows, cols), run.sums);
      }
    }
    p += depth;
  } while (p < k);
}

}  // namespace detail

/// Called only through an AVX-512 kernel table; other instruction sets have an empty body.
template <std::same_as<bfloat16> T>
void gemm_pair_block<T>::run([[maybe_unused]] const pair_schedule& s, [[maybe_unused]] const gemm_args<T>& g,
                             [[maybe_unused]] const T* packed, [[maybe_unused]] std::byte* memory) noexcept {
  if constexpr (multiplies_pairs(native_unit)) detail::run_pair_block(s, g, packed, memory);
}
template <std::same_as<bfloat16> T>
void gemm_pack_pair_panel<T>::run([[maybe_unused]] const matrix_view<const T>& panel, [[maybe_unused]] T* to) noexcept {
  if constexpr (multiplies_pairs(native_unit)) pack_pairs(panel, pair_tile::cols, to);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
