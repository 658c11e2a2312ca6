// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>

#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/kernels/gemm/pack_pairs.hpp>
#include <ridgepoint/kernels/gemm/pair_tile.hpp>

/// \file
/// Products of bfloat16 where the CPU multiplies it itself: register tiles of vdpbf16ps on operands in pairs of the
/// depth, rounded once from the f32 that they sum in.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

/// How a product is computed in pairs. Tiles begin at multiples of their extents and parts of the depth follow from it
/// alone, so blocks may follow the number of threads and the bits of the result do not.
struct pair_schedule {
  bool transposed = false;        // Cᵀ = Bᵀ·Aᵀ, by views alone
  bool packs_a = false;           // else rows of A as they are
  kernels::pair_source b = {};    // panels, else rows of B as they are
  index_t height = 0, width = 0;  // of the blocks of C that threads compute
  index_t depth = 0;              // of the parts that are summed one after the other
  std::size_t sums_bytes = 0, a_bytes = 0, b_bytes = 0, workers = 0;  // pieces of each worker's memory

  [[nodiscard]] constexpr std::size_t worker_bytes() const noexcept { return sums_bytes + a_bytes + b_bytes; }
  [[nodiscard]] constexpr std::size_t workspace_bytes() const noexcept { return workers * worker_bytes(); }
};

/// Whether C is stored by columns, and its rows take no bias: then Cᵀ = Bᵀ·Aᵀ is computed.
[[nodiscard]] inline bool transposes_in_pairs(const gemm_args<bfloat16>& g) noexcept {
  return g.c.cols > 1 && g.c.col_stride != 1 && g.c.row_stride == 1 && g.options.bias == nullptr;
}
/// B (k×n) in panels of pairs, one after the other.
[[nodiscard]] constexpr index_t packed_pair_elements(index_t k, index_t n) noexcept {
  return round_up(n, kernels::pair_tile::cols) * round_up(k, 2);
}
/// Panel `panel` of B from depth p on.
[[nodiscard]] inline matrix_view<const bfloat16> pair_panel(const matrix_view<const bfloat16>& b, index_t panel,
                                                            index_t p, index_t depth) noexcept {
  constexpr index_t cols = kernels::pair_tile::cols;
  return b.block(p, panel * cols, depth, std::min(cols, b.cols - panel * cols));
}
inline void pack_pair_panels(const native_cpu& on, const matrix_view<const bfloat16>& b, bfloat16* to) {
  constexpr index_t cols = kernels::pair_tile::cols;
  const index_t panel_elements = kernels::packed_pairs(b.rows, cols);
  parallel_for(on.thread_count(), ceil_div(b.cols, cols), [&](index_t panel) {
    kernels::pack_pairs(pair_panel(b, panel, 0, b.rows), cols, to + panel * panel_elements);
  });
}

/// The schedule of a product; in the form `packed`, B comes from pack_pair_panels().
[[nodiscard]] inline pair_schedule schedule_in_pairs(const native_cpu& on, const gemm_args<bfloat16>& given,
                                                     b_form form = b_form::as_it_is) {
  using tile = kernels::pair_tile;
  constexpr index_t most_depth = 2048, block_bytes = index_t{1} << 20;  // of A in L2, beside a panel of 128 KiB
  const bool transposes = transposes_in_pairs(given);
  const gemm_args<bfloat16> g = transposes ? transposed(given) : given;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, threads = on.thread_count();
  pair_schedule s{.transposed = transposes};
  if (m == 0 || n == 0) return s;
  s.depth = k <= most_depth ? k : round_up(ceil_div(k, ceil_div(k, most_depth)), 2);
  // Rows 4096 bytes apart lie in one set of L1.
  s.packs_a = k > 1 && (g.a.col_stride != 1 || (m > 1 && n > 2 * tile::cols && g.a.row_stride % 2048 == 0));
  const bool as_it_is = form == b_form::as_it_is && (g.b.col_stride == 1 || n == 1) && m <= tile::rows;
  s.b = as_it_is ? kernels::pair_source::rows : kernels::pair_source::panel;

  const index_t wanted = m * n >= 4'000'000 / std::max<index_t>(k, 1) ? threads : 1;
  s.height =
      std::min(m, std::max<index_t>(1, block_bytes / 2 / std::max<index_t>(s.depth, 1) / tile::rows) * tile::rows);
  const index_t down = ceil_div(m, s.height), panels = ceil_div(n, tile::cols);
  index_t across = wanted == 1 ? 1 : std::min(panels, ceil_div(4 * wanted, down));
  if (s.depth < k) across = std::max(across, ceil_div(panels, 16));  // sums of a block stay in L2, too
  s.width = ceil_div(panels, across) * tile::cols;

  const bool whole = s.depth >= k;
  s.sums_bytes = piece_bytes<float>((whole ? tile::rows : s.height) * (whole ? index_t{tile::cols} : s.width));
  if (s.packs_a) s.a_bytes = piece_bytes<bfloat16>(round_up(s.depth, 2) * s.height);
  if (s.b == kernels::pair_source::panel && form == b_form::as_it_is)
    s.b_bytes = piece_bytes<bfloat16>(kernels::packed_pairs(s.depth, tile::cols));
  s.workers = static_cast<std::size_t>(std::min(threads, down * ceil_div(n, s.width)));
  return s;
}

/// Lanes without an element included.
[[nodiscard]] inline std::uint64_t flop_in_pairs(const pair_schedule& s, const gemm_args<bfloat16>& given) noexcept {
  using tile = kernels::pair_tile;
  const gemm_args<bfloat16> g = s.transposed ? transposed(given) : given;
  const index_t n = round_up(g.c.cols, s.b == kernels::pair_source::rows ? index_t{tile::cols} : index_t{tile::lanes});
  return 2 * static_cast<std::uint64_t>(g.c.rows) * static_cast<std::uint64_t>(n) *
         static_cast<std::uint64_t>(round_up(g.a.cols, 2));
}

/// Rows of c ← f(α·sums + β·c + bias), rounded.
inline void finish_pairs(const gemm_args<bfloat16>& g, const float* sums) noexcept {
  using vec = simd::batch<float>;
  constexpr index_t lanes = simd::lanes<float>;
  const auto& [alpha, beta, bias, act] = g.options;
  const vec scale(alpha), keep(beta), zero(0.0F);
  for (index_t i = 0; i < g.c.rows; ++i, sums += kernels::pair_tile::cols) {
    for (index_t j = 0; j < g.c.cols; j += lanes) {
      const index_t count = std::min(lanes, g.c.cols - j);
      bfloat16 spread[static_cast<std::size_t>(lanes)];
      bfloat16* const c = g.c.col_stride == 1 ? &g.c(i, j) : spread;
      if (c == spread && beta != 0.0F)
        for (index_t l = 0; l < count; ++l) spread[l] = g.c(i, j + l);
      vec x = scale * simd::load(sums + j);
      if (beta != 0.0F) x = simd::fma(keep, count == lanes ? simd::load(c) : simd::load_partial(c, count), x);
      if (bias != nullptr) x = x + (count == lanes ? simd::load(bias + j) : simd::load_partial(bias + j, count));
      if (act == activation::relu) x = simd::max(x, zero);
      else if (act == activation::relu6) x = kernels::relu6<float>{}(x)[0];
      else if (act == activation::sigmoid) x = simd::sigmoid<float>(x);
      else if (act == activation::tanh) x = simd::tanh<float>(x);
      if (count == lanes) simd::store(c, x);
      else simd::store_partial(c, x, count);
      if (c == spread)
        for (index_t l = 0; l < count; ++l) g.c(i, j + l) = spread[l];
    }
  }
}

/// One block of C, whose first panel of B is `packed`, if that is given.
template <std::same_as<bfloat16> T>
void run_pair_block(const pair_schedule& s, const gemm_args<T>& g, const bfloat16* packed, std::byte* memory) noexcept {
  using tile = kernels::pair_tile;
  using kernels::pair_source;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  auto* const sums = reinterpret_cast<float*>(memory);
  auto* const packed_a = reinterpret_cast<bfloat16*>(memory + s.sums_bytes);
  auto* const packed_b = reinterpret_cast<bfloat16*>(memory + s.sums_bytes + s.a_bytes);
  index_t p = 0;
  do {
    const index_t depth = std::min(s.depth, k - p);
    const bool last = p + depth == k, only = last && p == 0;
    if (s.packs_a)
      for (index_t i = 0; i < m; i += tile::rows) {
        const index_t rows = std::min<index_t>(tile::rows, m - i);
        kernels::pack_pairs(g.a.block(i, p, rows, depth).transposed(), rows, packed_a + i * round_up(depth, 2));
      }
    for (index_t j = 0, panel = 0; j < n; j += tile::cols, ++panel) {
      const index_t cols = std::min<index_t>(tile::cols, n - j);
      kernels::pair_run run{.depth = depth, .continues = p > 0};
      if (s.b == pair_source::rows) {
        run.b = &g.b(p, j), run.b_row = g.b.row_stride, run.b_cols = cols;
      } else if (packed != nullptr) {
        run.b = packed + panel * kernels::packed_pairs(k, tile::cols) + p * tile::cols;
      } else {
        kernels::pack_pairs(pair_panel(g.b, panel, p, depth), tile::cols, packed_b);
        run.b = packed_b;
      }
      for (index_t i = 0; i < m; i += tile::rows) {
        const index_t rows = std::min<index_t>(tile::rows, m - i);
        run.a = s.packs_a ? packed_a + i * round_up(depth, 2) : &g.a(i, p);
        run.a_row = s.packs_a ? 2 : g.a.row_stride;
        run.a_step = s.packs_a ? 2 * rows : 2;
        run.sums = only ? sums : sums + (panel * s.height + i) * tile::cols;
        const index_t vectors = cols > tile::lanes ? 2 : 1;
        if (s.b == pair_source::rows) kernels::run_pairs<pair_source::rows>(rows, vectors, run);
        else kernels::run_pairs<pair_source::panel>(rows, vectors, run);
        if (last) finish_pairs(block(g, i, j, rows, cols), run.sums);
      }
    }
    p += depth;
  } while (p < k);
}

/// Requires: a CPU with AVX512-BF16; s.workspace_bytes() at `workspace`, on a boundary.
template <std::same_as<bfloat16> T>
void run_in_pairs(const native_cpu& on, const pair_schedule& s, const gemm_args<T>& given, std::byte* workspace,
                  const bfloat16* packed = nullptr) {
  const gemm_args<bfloat16> g = s.transposed ? transposed(given) : given;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  if (m == 0 || n == 0) return;
  const index_t across = ceil_div(n, s.width);
  parallel_for(on.thread_count(), ceil_div(m, s.height) * across, [&](index_t part, index_t worker) {
    const index_t i = part / across * s.height, j = part % across * s.width;
    run_pair_block(s, block(g, i, j, std::min(s.height, m - i), std::min(s.width, n - j)),
                   packed == nullptr ? nullptr : packed + j * round_up(k, 2),
                   workspace + static_cast<std::size_t>(worker) * s.worker_bytes());
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
