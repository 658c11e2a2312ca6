// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>

#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/kernels/gemm/bfloat16_kernels.hpp>

/// \file
/// Products of bfloat16 where the CPU multiplies it itself: register tiles of vdpbf16ps on operands in pairs of the
/// depth, rounded once from the f32 that they sum in.
namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

using kernels::pair_schedule;

/// Whether C is stored by columns, and its rows take no bias: then Cᵀ = Bᵀ·Aᵀ is computed.
[[nodiscard]] inline bool transposes_in_pairs(const gemm_args<bfloat16>& g) noexcept {
  return g.c.cols > 1 && g.c.col_stride != 1 && g.c.row_stride == 1 && g.options.bias == nullptr;
}
/// B (k×n) in panels of pairs, one after the other.
[[nodiscard]] constexpr index_t packed_pair_elements(index_t k, index_t n) noexcept {
  return round_up(n, kernels::pair_tile::cols) * round_up(k, 2);
}
template <cpu_backend On>
void pack_pair_panels(const On& on, const matrix_view<const bfloat16>& b, bfloat16* to) {
  constexpr index_t cols = kernels::pair_tile::cols;
  const index_t panel_elements = kernels::packed_pairs(b.rows, cols);
  parallel_for(on.thread_count(), ceil_div(b.cols, cols), [&](index_t panel) {
    on.template call<kernels::gemm_pack_pair_panel<bfloat16>>(kernels::pair_panel(b, panel, 0, b.rows),
                                                              to + panel * panel_elements);
  });
}

/// The schedule of a product; in the form `packed`, B comes from pack_pair_panels().
[[nodiscard]] inline pair_schedule schedule_in_pairs(index_t threads, const gemm_args<bfloat16>& given,
                                                     b_form form = b_form::as_it_is) {
  using tile = kernels::pair_tile;
  constexpr index_t most_depth = 2048, block_bytes = index_t{1} << 20;  // of A in L2, beside a panel of 128 KiB
  const bool transposes = transposes_in_pairs(given);
  const gemm_args<bfloat16> g = transposes ? transposed(given) : given;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  pair_schedule s{.transposed = transposes};
  if (m == 0 || n == 0) return s;
  s.depth = k <= most_depth ? k : round_up(ceil_div(k, ceil_div(k, most_depth)), 2);
  // Rows 4096 bytes apart lie in one set of L1.
  s.packs_a = k > 1 && (g.a.col_stride != 1 || (m > 1 && n > 2 * tile::cols && g.a.row_stride % 2048 == 0));
  const bool as_it_is = form == b_form::as_it_is && (g.b.col_stride == 1 || n == 1) && m <= tile::rows;
  s.b = as_it_is ? kernels::pair_source::rows : kernels::pair_source::panel;

  const index_t wanted = m * n >= 4'000'000 / std::max<index_t>(k, 1) ? threads : 1;
  s.height =
      (std::min)(m, std::max<index_t>(1, block_bytes / 2 / std::max<index_t>(s.depth, 1) / tile::rows) * tile::rows);
  const index_t down = ceil_div(m, s.height), panels = ceil_div(n, tile::cols);
  index_t across = wanted == 1 ? 1 : (std::min)(panels, ceil_div(4 * wanted, down));
  if (s.depth < k) across = (std::max)(across, ceil_div(panels, 16));  // sums of a block stay in L2, too
  s.width = ceil_div(panels, across) * tile::cols;

  const bool whole = s.depth >= k;
  s.sums_bytes = piece_bytes<float>((whole ? tile::rows : s.height) * (whole ? index_t{tile::cols} : s.width));
  if (s.packs_a) s.a_bytes = piece_bytes<bfloat16>(round_up(s.depth, 2) * s.height);
  if (s.b == kernels::pair_source::panel && form == b_form::as_it_is)
    s.b_bytes = piece_bytes<bfloat16>(kernels::packed_pairs(s.depth, tile::cols));
  s.workers = static_cast<std::size_t>((std::min)(threads, down * ceil_div(n, s.width)));
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

/// Requires: a CPU with AVX512-BF16; s.workspace_bytes() at `workspace`, on a boundary.
template <cpu_backend On, std::same_as<bfloat16> T>
void run_in_pairs(const On& on, const pair_schedule& s, const gemm_args<T>& given, std::byte* workspace,
                  const bfloat16* packed = nullptr) {
  const gemm_args<bfloat16> g = s.transposed ? transposed(given) : given;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols;
  if (m == 0 || n == 0) return;
  const index_t across = ceil_div(n, s.width);
  parallel_for(on.thread_count(), ceil_div(m, s.height) * across, [&](index_t part, index_t worker) {
    const index_t i = part / across * s.height, j = part % across * s.width;
    on.template call<kernels::gemm_pair_block<T>>(
        s, block(g, i, j, (std::min)(s.height, m - i), (std::min)(s.width, n - j)),
        packed == nullptr ? nullptr : packed + j * round_up(k, 2),
        workspace + static_cast<std::size_t>(worker) * s.worker_bytes());
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
