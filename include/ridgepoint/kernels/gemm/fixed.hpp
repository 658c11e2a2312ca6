// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <ridgepoint/kernels/gemm/cost.hpp>
#include <ridgepoint/kernels/gemm/folded.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/simd/batch.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Maximum rows of a tile of nv vectors. A single-vector tile is limited only by registers, not by a table.
[[nodiscard]] constexpr int tallest_fixed(int nv) noexcept {
  return nv == 1 ? simd::native::registers - 4 : tallest_tile(native_unit, nv);
}

/// One register tile of a product of known extents: rows `i` to i + Mr, Nv vectors from column `j` on.
///
/// gemm_tile() with every stride a constant. A last vector of fewer columns than lanes is loaded and stored as a full
/// register where that stays inside the operand: the surplus in C falls on rows that are written later.
template <class T, fixed_extents E, int Mr, int Nv>
struct fixed_tile {
  using vec = simd::batch<T>;
  static constexpr index_t lanes = simd::lanes<T>;
  static constexpr int slices = tile_slices(Mr, Nv, E.k);

  /// Columns of the last vector, which overlaps the previous one, if any.
  static constexpr index_t last = (std::min)(E.n, lanes);

  /// Row p of B from a column on: inside() if all lanes are inside B; row() for a p known at compile time.
  RIDGEPOINT_INLINE static vec inside(const T* b, index_t p) noexcept { return simd::load(b + p * E.b_ld); }
  template <index_t P>
  RIDGEPOINT_INLINE static vec row(const T* b) noexcept {
    constexpr bool reaches_out = P * E.b_ld + lanes > (E.k - 1) * E.b_ld + E.n;
    if constexpr (last < lanes && reaches_out) return simd::load_partial(b + P * E.b_ld, last);
    else return simd::load(b + P * E.b_ld);
  }
  template <class Load>
  RIDGEPOINT_INLINE static void step(vec (&sum)[Mr][Nv], const T* a, index_t p, Load load) noexcept {
    if constexpr (Mr < Nv) {
      vec ap[Mr];
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) ap[i] = vec(a[i * E.a_ld + p]), simd::hold(ap[i]);
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Nv; ++j) {
        const vec bj = load(j);
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Mr; ++i) sum[i][j] = simd::fma(ap[i], bj, sum[i][j]);
      }
    } else {
      vec bp[Nv];
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Nv; ++j) bp[j] = load(j), simd::hold(bp[j]);
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        const vec ai(a[i * E.a_ld + p]);
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) sum[i][j] = simd::fma(ai, bp[j], sum[i][j]);
      }
    }
  }
  RIDGEPOINT_INLINE static void run(const T* a, const T* b, T* c, index_t rows_below, T alpha, T beta) noexcept {
    const auto column = [](int j)
                            RIDGEPOINT_INLINE_LAMBDA { return last == lanes ? (std::min)(j * lanes, E.n - lanes) : 0; };
    vec sum[slices][Mr][Nv];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) sum[s][i][j] = vec(T(0));
      }
    }
    // The last steps, which may have to mask B, are peeled off; at small depth all steps are.
    constexpr index_t peeled = E.k <= 8 ? E.k : last == lanes ? 0 : ceil_div(lanes, E.b_ld);
    constexpr index_t whole = std::max<index_t>(E.k - peeled, 0) / slices * slices, rest = E.k - whole;
    for (index_t p = 0; p < whole; p += slices) {
      RIDGEPOINT_UNROLL
      for (int s = 0; s < slices; ++s)
        step(sum[s], a, p + s, [&](int j) RIDGEPOINT_INLINE_LAMBDA { return inside(b + column(j), p + s); });
    }
    [&]<index_t... P>(std::integer_sequence<index_t, P...>) RIDGEPOINT_INLINE_LAMBDA {
      (step(sum[P % slices], a, whole + P,
            [&](int j) RIDGEPOINT_INLINE_LAMBDA { return row<whole + P>(b + column(j)); }),
       ...);
    }
    (std::make_integer_sequence<index_t, rest>{});
    RIDGEPOINT_UNROLL
    for (int s = 1; s < slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) sum[0][i][j] = sum[0][i][j] + sum[s][i][j];
      }
    }
    if (alpha != T(1)) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) sum[0][i][j] = vec(alpha) * sum[0][i][j];
      }
    }
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      T* const to = c + i * E.c_ld;
      if (beta != T(0)) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) {
          const vec before = last == lanes ? simd::load(to + column(j)) : simd::load_partial(to + column(j), last);
          sum[0][i][j] = simd::fma(vec(beta), before, sum[0][i][j]);
        }
      }
      const bool spills_inside = E.c_ld == E.n && (Mr - i + rows_below) * E.n >= lanes && beta == T(0);
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Nv; ++j) {
        if (last == lanes || spills_inside) simd::store(to + column(j), sum[0][i][j]);
        else simd::store_partial(to + column(j), sum[0][i][j], last);
      }
    }
  }
};

/// Calls tile(rows, i) down the rows of a panel: `rows`, a compile-time constant ≤ Most, from row i on.
template <index_t M, index_t Most, class Tile>
RIDGEPOINT_INLINE void for_fixed_tiles(Tile&& tile) noexcept {
  constexpr tile_split split = tile_split::of(M, Most);
  constexpr int tall = static_cast<int>(split.rows), low = (std::max)(tall - 1, 1);
  index_t i = 0;
  for (index_t q = 0; q < split.tall; ++q, i += tall) tile(std::integral_constant<int, tall>{}, i);
  for (index_t q = split.tall; q < split.tiles; ++q, i += low) tile(std::integral_constant<int, low>{}, i);
}

/// Computes one panel of Nv vectors; the last vector may have fewer columns.
template <class T, fixed_extents E, int Nv>
RIDGEPOINT_INLINE void gemm_fixed_panel(const T* a, const T* b, T* c, T alpha, T beta) noexcept {
  for_fixed_tiles<E.m, tallest_fixed(Nv)>([=](auto rows, index_t i) RIDGEPOINT_INLINE_LAMBDA {
    fixed_tile<T, E, rows, Nv>::run(a + i * E.a_ld, b, c + i * E.c_ld, E.m - i - rows, alpha, beta);
  });
}

/// Computes one panel of at most one register, on tiles that fold the depth.
template <class T, fixed_extents E>
RIDGEPOINT_INLINE void gemm_folded_panel(const T* a, const T* b, T* c, T alpha, T beta) noexcept {
  for_fixed_tiles<E.m, tallest_fixed(1)>([=](auto rows, index_t i) RIDGEPOINT_INLINE_LAMBDA {
    folded_tile<T, E, rows, depth_fold<T>(E.n, E.k)>::run(a + i * E.a_ld, b, c + i * E.c_ld, alpha, beta);
  });
}

/// Computes N columns of E from column J on.
template <class T, fixed_extents E, index_t J, index_t N>
RIDGEPOINT_INLINE void gemm_fixed_columns(const T* a, const T* b, T* c, T alpha, T beta) noexcept {
  constexpr index_t lanes = simd::lanes<T>, vectors = ceil_div(N, lanes);
  constexpr int nv = cost::panel_of_small(native_unit, E.m, vectors, E.k);
  constexpr fixed_extents all{E.m, N, E.k, E.a_ld, E.b_ld, E.c_ld};
  if constexpr (N == 0) {
    return;
  } else if constexpr (depth_fold<T>(N, E.k) > 1) {
    gemm_folded_panel<T, all>(a, b + J, c + J, alpha, beta);
  } else if constexpr (vectors > nv) {
    constexpr index_t width = nv * lanes, panels = ceil_div(vectors, index_t{nv}), rest = N - (panels - 1) * width;
    constexpr fixed_extents panel{E.m, width, E.k, E.a_ld, E.b_ld, E.c_ld};
    for (index_t q = 0; q < panels - 1; ++q)
      gemm_fixed_panel<T, panel, nv>(a, b + J + q * width, c + J + q * width, alpha, beta);
    gemm_fixed_columns<T, E, J + (panels - 1) * width, rest>(a, b, c, alpha, beta);
  } else {
    gemm_fixed_panel<T, all, nv>(a, b + J, c + J, alpha, beta);
  }
}

/// C ← α·A·B + β·C of known extents, tile by tile: full registers of columns, and the remainder folded where that
/// pays. Requires: C distinct from A and B.
template <class T, fixed_extents E>
RIDGEPOINT_INLINE void gemm_fixed(const T* a, const T* b, T* c, T alpha, T beta) noexcept {
  constexpr index_t rest = E.n % simd::lanes<T>;
  constexpr index_t folded = rest > 0 && depth_fold<T>(rest, E.k) > 1 ? rest : 0;
  gemm_fixed_columns<T, E, 0, E.n - folded>(a, b, c, alpha, beta);
  gemm_fixed_columns<T, E, E.n - folded, folded>(a, b, c, alpha, beta);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
