// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/simd/isa.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Register tile of GEMM: rows by vectors. As many accumulators as leave room for one row of B and one value of A.
///   16 registers: 6×2 is 12 accumulators + 2 + 1. 32 registers: 14×2 is 28 + 2 + 1.
struct gemm_tile_shape {
  static constexpr int vectors = 2;
  static constexpr int rows = simd::native::registers >= 32 ? 14 : 6;
};

/// Whether packed A holds each value once per lane. SSE has no broadcast load: movss + shufps for every value would
/// cost as
/// much as the multiplications; a replicated value is loaded straight into the register that the product overwrites.
template <class T>
inline constexpr bool replicates_a = simd::native::width_bytes == 16 && sizeof(T) == 4;

/// Strides of one operand, in elements: what decides whether it is read in place.
struct operand_layout {
  index_t row_stride = 0, col_stride = 1;
};

/// Which inner loop a GEMM runs on.
enum class gemm_family {
  nothing,  // no element of C
  scale,    // k = 0: C ← f(β·C + bias)
  vector,   // one row of A, B row-major: bound by reading B once
  dot,      // narrow C, both operands contiguous in k once B is turned
  tiles,    // register tiles over packed or raw panels
};

/// How a GEMM is cut: C in blocks of mc × nc, depth in slices of kc; operands as stored or packed.
///
/// mr·kc of A take at most half of L1, mc·kc about three eighths of L2, which also holds the panel kc·nr of B that
/// streams past: a long kc reads and writes C less often, and that is worth more than a panel in L1. Cutting k decides
/// the order of summation, so it depends on the problem alone, never on threads: every grid of threads gives the same
/// bits.
struct gemm_plan {
  gemm_family family = gemm_family::nothing;
  index_t mc = 0, nc = 0, kc = 0;
  bool pack_a = false, pack_b = false;                         // false: read where it is
  bool fetch_a = false;                                        // tiles fetch the next one's rows of A
  friend bool operator==(const gemm_plan&, const gemm_plan&) = default;
};

/// Bytes of cache a plan may count on.
struct gemm_caches {
  index_t l1 = 32 * 1024, l2 = 512 * 1024, l3 = 8 * 1024 * 1024;
};

namespace detail {
/// Pieces of at most about `most`, equal, multiples of `unit`.
constexpr index_t equal_pieces(index_t size, index_t most, index_t unit) noexcept {
  return size <= most ? size : round_up(ceil_div(size, ceil_div(size, most)), unit);
}
/// The same, where a third more beats a short last piece.
constexpr index_t roughly_equal_pieces(index_t size, index_t most, index_t unit) noexcept {
  return equal_pieces(size, size <= most + most / 3 ? size : most, unit);
}
}  // namespace detail

/// The blocks and packing of register tiles over C(m×n) = A(m×k)·B(k×n).
template <class T>
[[nodiscard]] constexpr gemm_plan plan_tiles(index_t m, index_t n, index_t k, operand_layout a, operand_layout b,
                                             const gemm_caches& caches = {}) noexcept {
  constexpr index_t size = sizeof(T), mr = gemm_tile_shape::rows, nr = gemm_tile_shape::vectors * simd::lanes<T>;
  constexpr index_t a_size = replicates_a<T> ? size * simd::lanes<T> : size;
  gemm_plan plan{.family = gemm_family::tiles};
  plan.kc = detail::equal_pieces(k, std::max<index_t>(64, caches.l1 / 2 / (mr * a_size)), 1);
  plan.mc = detail::roughly_equal_pieces(m, std::max(mr, caches.l2 * 3 / 8 / (plan.kc * a_size) / mr * mr), mr);
  plan.nc = detail::roughly_equal_pieces(n, std::max(nr, caches.l3 / 8 / (plan.kc * size) / nr * nr), nr);
  // Rows of a tile that start in the same L1 set evict each other; the columns of a large transposed A are pages apart.
  const bool same_set = (a.row_stride * size) % 2048 == 0 && k * size > 512, large = m * k * size > caches.l1;
  plan.pack_a = replicates_a<T> || (a.col_stride == 1 ? same_set && n > 4 * nr : large && n > nr);
  plan.pack_b = m > mr || b.col_stride != 1;
  plan.fetch_a = simd::native::fma && !plan.pack_a && a.col_stride == 1 && m * k * size > caches.l2 / 2;
  return plan;
}

/// The plan for C(m×n) = A(m×k)·B(k×n). A pure function of its arguments and the ISA.
/// Example: plan_gemm<float>(1024, 1024, 1024, {1024, 1}, {1024, 1}).pack_a         // rows of A share cache sets
template <class T>
[[nodiscard]] constexpr gemm_plan plan_gemm(index_t m, index_t n, index_t k, operand_layout a, operand_layout b,
                                            const gemm_caches& caches = {}) noexcept {
  constexpr index_t nr = gemm_tile_shape::vectors * simd::lanes<T>;
  if (m == 0 || n == 0) return {};
  if (k == 0) return {.family = gemm_family::scale};
  if (m == 1 && b.col_stride == 1) return {.family = gemm_family::vector};
  // A tile computes nr columns whatever n is; dot products fold lanes at the end, which k must outweigh.
  if ((n == 1 || (4 * n <= 3 * nr && n <= 12 && k >= 4 * simd::lanes<T>)) && a.col_stride == 1)
    return {.family = gemm_family::dot};
  return plan_tiles<T>(m, n, k, a, b, caches);
}

/// Threads along the rows and the columns of C.
struct gemm_grid {
  index_t rows = 1, cols = 1;
};

/// The grid of at most `threads` blocks that finishes first: the largest block's tiles, plus packing, which every row
/// of the grid repeats for B and every column for A. 1×1 where a team would cost more than it saves (2·m·n·k < 2·10⁶).
template <class T>
[[nodiscard]] constexpr gemm_grid plan_grid(index_t m, index_t n, index_t k, index_t threads) noexcept {
  constexpr index_t mr = gemm_tile_shape::rows, nr = gemm_tile_shape::vectors * simd::lanes<T>;
  gemm_grid best;
  if (m * n < 1'000'000 / std::max<index_t>(k, 1)) return best;
  double best_cost = 0;
  for (index_t rows = 1; rows <= threads; ++rows) {
    const index_t cols = threads / rows;
    const index_t height = round_up(ceil_div(m, rows), mr), width = round_up(ceil_div(n, cols), nr);
    const double cost = static_cast<double>(height) * static_cast<double>(width) /
                            (gemm_tile_shape::vectors * simd::lanes<T>) + 0.5 * static_cast<double>(height) +
                        0.5 * static_cast<double>(width);
    if (rows == 1 || cost < best_cost) best = {rows, cols}, best_cost = cost;
  }
  return best;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
