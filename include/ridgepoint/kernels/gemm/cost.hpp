// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/gemm/tile_shape.hpp>

/// \file
/// Predicted cycles of the families of GEMM. Terms are of the pipelines (FMAs, loads, latency), which the instruction
/// set gives, and of the memory levels, measured: one core each of a Zen 3 and an Emerald Rapids. They rank families;
/// they need not be right, only in order (`ridgepoint versus gemm --random` shows both).
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Bytes of cache a plan may count on.
struct gemm_caches {
  index_t l1 = 32 * 1024, l2 = 512 * 1024;
  index_t panels = 0;  // of L2 or a near L3, for packed B; 0: half of l2
};

namespace cost {
/// Of a register: two pipes; without FMA a product and a sum.
[[nodiscard]] constexpr double per_fma(vector_unit v) noexcept { return v.fma ? 0.5 : 1.0; }
inline constexpr double latency = 4;  // of a sum
inline constexpr double per_load = 0.5, per_store = 1;
inline constexpr double call = 12;                              // of a kernel, or a tile's loop
inline constexpr double l2_byte = 0.04;                         // of a row of a panel
inline constexpr double l3_byte = 0.08;                         // read once, in rows, from beyond L2
inline constexpr double pack_byte = 0.10, pack_l3_byte = 0.15;  // read and written
inline constexpr double strewn_line = 18;                       // C beyond L2, written a line or two a row
inline constexpr double page = 8, page_fetched = 1;             // that L1's TLB has lost
inline constexpr double evicted = 1.25;                         // of steps that find no row of A in L1
inline constexpr double streamed_line = 2;                      // C beyond L2, written from end to end
inline constexpr double fold = 3;                               // lanes of a dot product to one value
inline constexpr double turn = 1.5;                             // four elements of B, transposed

[[nodiscard]] constexpr double real(index_t n) noexcept { return static_cast<double>(n); }

/// One step in depth of a register tile.
[[nodiscard]] constexpr double step(vector_unit v, index_t mr, int nv, int slices = 1) noexcept {
  const double arithmetic = real(mr * nv) * per_fma(v), loads = real(mr + nv) * per_load;
  return (std::max)({arithmetic, loads, latency / slices});
}
/// What a tile costs beside its steps: zeros, and C out of the registers, in rows that begin and end within a line.
[[nodiscard]] constexpr double tile(index_t mr, int nv) noexcept { return call + real(mr * (nv + 1)) * per_store; }

/// A row of panels: n columns in panels of nv vectors, and what is left. per_b_byte: l2_byte where B is in L2, else 0.
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

/// Lines of C, if it leaves L2.
template <class T>
[[nodiscard]] constexpr double far_lines(index_t m, index_t n, const gemm_caches& caches) noexcept {
  const index_t bytes = m * n * static_cast<index_t>(sizeof(T));
  return 2 * bytes > caches.l2 ? real(bytes) / 64 : 0;
}

/// The width of the panels of a C whose operands L1 holds, in vectors: for which its tiles are predicted to take least
/// time.
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
