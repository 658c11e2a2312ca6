// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/gemm/tile_shape.hpp>

/// \file
/// Predicted cycles of the GEMM families. Pipeline terms (FMAs, loads, latency) follow from the instruction set; memory
/// terms were measured on one core each of a Zen 3 and an Emerald Rapids. The terms rank families: only their order has
/// to be right (`ridgepoint bench gemm --random` shows both).
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Bytes of cache a plan may count on.
struct gemm_caches {
  index_t l1 = 32 * 1024, l2 = 512 * 1024;
  index_t panels = 0;  // of L2 or a near L3, for packed B; 0: half of l2
};

namespace cost {
/// Cycles per register: two pipes; without FMA a product and a sum.
[[nodiscard]] constexpr double per_fma(vector_unit v) noexcept { return v.fma ? 0.5 : 1.0; }
inline constexpr double latency = 4;  // of a sum
inline constexpr double per_load = 0.5, per_store = 1;
inline constexpr double call = 12;                              // of a kernel, or of a tile's loop
inline constexpr double l2_byte = 0.04;                         // of a row of a panel
inline constexpr double l3_byte = 0.08;                         // read once, row by row, from beyond L2
inline constexpr double pack_byte = 0.10, pack_l3_byte = 0.15;  // read and written
inline constexpr double strewn_line = 18;                       // C beyond L2, written one or two lines per row
inline constexpr double page = 8, page_fetched = 1;             // missing in L1's TLB
inline constexpr double evicted = 1.25;                         // of steps whose rows of A are not in L1
inline constexpr double streamed_line = 2;                      // C beyond L2, written contiguously
inline constexpr double fold = 3;                               // lanes of a dot product to one value
inline constexpr double turn = 1.5;                             // four elements of B, transposed

[[nodiscard]] constexpr double real(index_t n) noexcept { return static_cast<double>(n); }

/// Cycles of one step in depth of a register tile.
[[nodiscard]] constexpr double step(vector_unit v, index_t mr, int nv, int slices = 1) noexcept {
  const double arithmetic = real(mr * nv) * per_fma(v), loads = real(mr + nv) * per_load;
  return (std::max)({arithmetic, loads, latency / slices});
}
/// Cycles of a tile besides its steps: zeroing, and storing C, in rows that begin and end within a cache line.
[[nodiscard]] constexpr double tile(index_t mr, int nv) noexcept { return call + real(mr * (nv + 1)) * per_store; }

/// Cycles of a row of panels: n columns in panels of nv vectors, and the remainder. per_b_byte: l2_byte if B is in L2,
/// else 0.
template <class T>
[[nodiscard]] constexpr double panels(vector_unit v, index_t mr, index_t n, int nv, index_t depth, int slices,
                                      double per_b_byte) noexcept {
  const index_t lanes = v.lanes<T>(), width = nv * lanes, whole = n / width, rest = v.vectors<T>(n - whole * width);
  const auto panel = [&](int vectors) {
    const double bytes = real(vectors * lanes) * sizeof(T);
    return (std::max)(step(v, mr, vectors, slices), bytes * per_b_byte) * real(depth) + tile(mr, vectors);
  };
  return real(whole) * panel(nv) + (rest == 0 ? 0 : panel(static_cast<int>(rest)));
}

/// Cycles of C's lines if C exceeds L2.
template <class T>
[[nodiscard]] constexpr double far_lines(index_t m, index_t n, const gemm_caches& caches) noexcept {
  const index_t bytes = m * n * static_cast<index_t>(sizeof(T));
  return 2 * bytes > caches.l2 ? real(bytes) / 64 : 0;
}

/// Returns the panel width, in vectors, with the least predicted time for a C whose operands fit L1.
[[nodiscard]] constexpr int panel_of_small(vector_unit v, index_t m, index_t vectors, index_t k) noexcept {
  int best = 1;
  double least = 0;
  for (int nv = 1; nv <= std::min<index_t>(vectors, most_vectors); ++nv) {
    const index_t tiles = ceil_div(m, tallest_tile(v, nv)), mr = ceil_div(m, tiles), panels = ceil_div(vectors, nv);
    const int wide = static_cast<int>(ceil_div(vectors, panels));
    const double cycles =
        real(tiles * panels) * (step(v, mr, wide, tile_slices(mr, wide, k)) * real(k) + tile(mr, wide));
    if (nv == 1 || cycles < least) best = wide, least = cycles;
  }
  return best;
}
}  // namespace cost

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
