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

/// Storage of one operand: what decides whether it is read in place.
struct operand_layout {
  index_t row_stride = 0, col_stride = 1;
};

enum class gemm_family {
  nothing,                                                     // no element of C
  scale,                                                       // k = 0: C ← f(β·C + bias)
  vector,                                                      // m = 1: bound by reading B once
  tiles,                                                       // register tiles over packed or raw panels
};

/// How a GEMM is cut: C in blocks of mc × nc, depth in `parts` slices of kc; A as stored or packed.
///
/// kc·nr of B stays in L1 while the row tiles of a block pass, mc·kc of A in half of L2. Cutting k decides the order of
/// summation, so it depends on the problem alone, never on threads: every grid of threads gives the same bits.
struct gemm_plan {
  gemm_family family = gemm_family::nothing;
  index_t mc = 0, nc = 0, kc = 0;
  bool pack_a = false;                                         // false: tiles of A are read where they are
  bool pack_b = false;                                         // false: panels of B are read where they are
  friend bool operator==(const gemm_plan&, const gemm_plan&) = default;
};

/// Bytes of cache a plan may count on.
struct gemm_caches {
  index_t l1 = 32 * 1024, l2 = 512 * 1024, l3 = 8 * 1024 * 1024;
};

/// The plan for C(m×n) = A(m×k)·B(k×n). A pure function of its arguments and the ISA.
template <class T>
[[nodiscard]] constexpr gemm_plan plan_gemm(index_t m, index_t n, index_t k, operand_layout a, operand_layout b,
                                            const gemm_caches& caches = {}) noexcept {
  constexpr index_t size = sizeof(T), mr = gemm_tile_shape::rows, nr = gemm_tile_shape::vectors * simd::lanes<T>;
  gemm_plan plan;
  if (m == 0 || n == 0) return plan;
  if (k == 0) {
    plan.family = gemm_family::scale;
    return plan;
  }
  plan.family = m == 1 ? gemm_family::vector : gemm_family::tiles;

  const index_t kc_most = std::max<index_t>(64, caches.l1 / 2 / (nr * size) / 8 * 8);
  const index_t parts = ceil_div(k, kc_most + kc_most / 4);    // a little over beats a short last slice
  plan.kc = ceil_div(k, parts);
  plan.mc = std::max(mr, caches.l2 / 2 / (plan.kc * size) / mr * mr);
  if (m <= plan.mc + plan.mc / 4) plan.mc = m;
  else plan.mc = round_up(ceil_div(m, ceil_div(m, plan.mc)), mr);
  plan.nc = std::max(nr, caches.l3 / 8 / (plan.kc * size) / nr * nr);
  if (n <= plan.nc + plan.nc / 4) plan.nc = n;
  else plan.nc = round_up(ceil_div(n, ceil_div(n, plan.nc)), nr);

  // Rows of a tile that start in the same L1 set evict each other; the columns of a transposed A are a page apart each.
  const bool same_set = (a.row_stride * size) % 2048 == 0 && k * size > 512;
  plan.pack_a = a.col_stride == 1 ? same_set && n > 4 * nr : n > nr;
  plan.pack_b = m > mr || b.col_stride != 1;
  return plan;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
