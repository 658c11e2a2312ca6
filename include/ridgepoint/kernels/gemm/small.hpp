// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/gemm/in_place.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// A run of register tiles of a small product, prepared: everything but the addresses. In elements.
template <class T>
struct small_run {
  gemm_tile_function<T> tile = nullptr;
  std::int32_t tiles = 0, a = 0, b = 0, c = 0;  // how many; where the first finds its operands
  std::int32_t a_tile = 0, a_row = 0, a_step = 0, b_tile = 0, b_step = 0, c_tile = 0, ldc = 0;  // as tile_operands
  std::int32_t last_at = 0, last = 0;
};

/// A small product, prepared: C ← α·A·B + β·C as a few runs of register tiles, with nothing left to decide.
template <class T>
struct small_product {
  static constexpr std::size_t most_runs = 6;
  index_t k = 0;
  int count = 0;  // 0: not a small product
  T alpha = T(1), beta = T(0);
  std::array<small_run<T>, most_runs> runs = {};

  RIDGEPOINT_INLINE void operator()(const T* a, const T* b, T* c) const noexcept {
    const tile_epilogue<T> epilogue{.alpha = alpha, .beta = beta};
    for (int i = 0; i < count; ++i) {
      const small_run<T>& r = runs[static_cast<std::size_t>(i)];
      r.tile({.tiles = r.tiles,
              .k = k,
              .a = a + r.a,
              .a_tile = r.a_tile,
              .a_row = r.a_row,
              .a_step = r.a_step,
              .b = b + r.b,
              .b_tile = r.b_tile,
              .b_step = r.b_step,
              .c = c + r.c,
              .c_tile = r.c_tile,
              .ldc = r.ldc,
              .last_at = r.last_at,
              .last = r.last},
             epilogue);
    }
  }
};

/// The tile of mr rows and nv vectors, or of fewer columns than lanes, with nothing beside its arithmetic.
template <class T>
[[nodiscard]] gemm_tile_function<T> bare_tile(index_t mr, int nv, int slices, index_t last) noexcept {
  constexpr auto whole = tile_extra::bare, narrow = tile_extra::bare_narrow;
  const auto at = static_cast<std::size_t>(mr - 1);
  if (last < simd::lanes<T>)
    return slices == 1   ? gemm_tiles<T, 1, narrow>[at]
           : slices == 2 ? gemm_tiles<T, 1, narrow, 2, 6>[at]
                         : gemm_tiles<T, 1, narrow, 4, 3>[at];
  if (slices == 2) return nv == 1 ? gemm_tiles<T, 1, whole, 2, 6>[at] : gemm_tiles<T, 2, whole, 2, 3>[at];
  if (slices == 4) return nv == 1 ? gemm_tiles<T, 1, whole, 4, 3>[at] : gemm_tiles<T, 2, whole, 4, 1>[at];
  return with_constant<1, most_vectors>(nv, [&](auto vectors) { return gemm_tiles<T, vectors, whole>[at]; });
}

/// Multiplications of a product that L1 and L2 hold, so that nothing has to be fetched.
inline constexpr index_t most_small_product = 64 * 64 * 64;

/// Rows and vectors of the tiles of a small product: those predicted to take least time, if they sum the depth in as
/// many parts as the plan's own, else the plan's.
template <class T>
[[nodiscard]] std::pair<index_t, int> small_tile(const gemm_plan& plan, index_t m, index_t n, index_t k) noexcept {
  const index_t vectors = ceil_div(n, simd::lanes<T>);
  const int nv = std::max(cost::panel_of_small(m, vectors, k), vectors > 1 ? 2 : 1);  // as for_panels() wants them
  const tile_split split = tile_split::of(m, tallest_tile(nv));
  const bool same = tile_slices(split.rows, nv, k) == plan.slices;
  return same ? std::pair{index_t{tallest_tile(nv)}, nv} : std::pair{plan.mr, plan.nv};
}

/// The runs of C(m×n) ← α·A(m×k)·B(k×n) + β·C; count is 0 where they would be too many, or the product is not small.
/// The depth is summed in as many parts as by `plan`, so that both give the same bits.
/// Requires: B row-major, C of adjacent columns; no bias, no activation.
template <class T>
[[nodiscard]] small_product<T> prepare_small(const gemm_plan& plan, const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, ldc = g.c.row_stride;
  constexpr index_t longest = 1024, furthest = index_t{1} << 20;  // any offset of so many rows fits 32 bits
  const auto near = [](index_t stride) { return stride >= 0 && stride <= furthest; };
  small_product<T> made{.k = k, .alpha = g.options.alpha, .beta = g.options.beta};
  if (!are_few(m, n, k, most_small_product) || std::max({m, n, k}) > longest || !near(g.a.row_stride) ||
      !near(g.a.col_stride) || !near(g.b.row_stride) || !near(ldc))
    return made;
  const auto [most_rows_of_tile, widest] = small_tile<T>(plan, m, n, k);
  const tile_split split = tile_split::of(m, most_rows_of_tile);
  std::size_t count = 0;
  const auto append = [&](index_t i, index_t mr, index_t tiles, index_t j, index_t panels, int nv, index_t last_at,
                          index_t last, index_t b_tile) {
    const auto narrowed = [](index_t value) { return static_cast<std::int32_t>(value); };
    const bool along = b_tile != 0;
    if (count++ >= small_product<T>::most_runs) return;
    made.runs[count - 1] = {.tile = bare_tile<T>(mr, nv, plan.slices, last),
                            .tiles = narrowed(along ? panels : tiles),
                            .a = narrowed(i * g.a.row_stride),
                            .b = narrowed(j),
                            .c = narrowed(i * ldc + j),
                            .a_tile = narrowed(along ? 0 : mr * g.a.row_stride),
                            .a_row = narrowed(g.a.row_stride),
                            .a_step = narrowed(g.a.col_stride),
                            .b_tile = narrowed(b_tile),
                            .b_step = narrowed(g.b.row_stride),
                            .c_tile = narrowed(along ? b_tile : mr * ldc),
                            .ldc = narrowed(ldc),
                            .last_at = narrowed(last_at),
                            .last = narrowed(last)};
  };
  // One run along the rows of C for each row of tiles, or one down them for each panel: whichever are fewer.
  for_panels<T>(n, widest, [&](index_t j, index_t panels, int nv, index_t last_at, index_t last) {
    const index_t width = nv * simd::lanes<T>;
    if (split.tiles < 2 * panels) {
      split.for_tiles([&](index_t i, index_t mr) { append(i, mr, 1, j, panels, nv, last_at, last, width); });
    } else {
      for (index_t q = 0; q < panels; ++q)
        split.for_runs([&](index_t i, index_t mr, index_t tiles) {
          append(i, mr, tiles, j + q * width, 1, nv, last_at, last, 0);
        });
    }
  });
  made.count = count <= small_product<T>::most_runs ? static_cast<int>(count) : 0;
  return made;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
