// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/simd/fold.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Compile-time extents and leading dimensions of a product of row-major operands.
struct fixed_extents {
  index_t m, n, k, a_ld, b_ld, c_ld;
};

/// Steps in depth per FMA for a C of n columns: 2 if n is at most half a register, 4 if at most a quarter; 1 where
/// folding does not pay: adding the lanes of a row at the end costs about two FMAs.
template <class T>
[[nodiscard]] constexpr int depth_fold(index_t n, index_t k) noexcept {
  constexpr bool pays = simd::folded<T, 2>::pays;
  return !pays || k < 4 || 2 * n > simd::lanes<T> ? 1 : 4 * n > simd::lanes<T> ? 2 : 4;
}

/// One register tile of a narrow product of known extents: Mr rows of one register. A register holds Fold rows of B
/// next to each other, and Fold values of A repeated to match.
///
/// At the end the lanes of each column are added: the depth is summed in Fold interleaved parts, and in more slices if
/// the rows are too few for eight FMAs in flight.
/// Requires: E.n ≤ lanes/Fold, E.k ≥ Fold.
template <class T, fixed_extents E, int Mr, int Fold>
struct folded_tile {
  using vec = simd::batch<T>;
  using lines = simd::folded<T, Fold>;
  static constexpr int lanes = simd::lanes<T>, width = lanes / Fold, n = static_cast<int>(E.n);
  static constexpr int steps = static_cast<int>(ceil_div(E.k, Fold)), rest = static_cast<int>(E.k % Fold);
  static constexpr int slices = steps < 8 || Mr >= 7 ? 1 : Mr >= 4 ? 2 : 4;
  static constexpr bool adjacent = E.b_ld == E.n;  // rows of B are contiguous: one load covers them
  static_assert(n <= width && E.k >= Fold && lines::pays);

  /// Whether full-register loads of the rows of B from p on stay inside B.
  static constexpr bool inside(index_t p) noexcept {
    return p + Fold <= E.k && (adjacent ? p : p + Fold - 1) * E.b_ld + lanes <= (E.k - 1) * E.b_ld + E.n;
  }
  /// Number of leading steps for which inside() is true; 0 if too few for a loop.
  static constexpr int in_loop = [] {
    int count = 0;
    while (inside(index_t{count} * Fold)) ++count;
    return steps <= 4 ? 0 : count / slices * slices;
  }();

  /// Fold rows of B. load(q): row q from its first column on, followed by the next rows where rows are adjacent.
  template <class Load>
  RIDGEPOINT_INLINE static vec rows(Load load) noexcept {
    const auto in_turn = [](int lane) { return lane % 2 * lanes + lane / 2; };
    if constexpr (adjacent) {
      const vec all = load(0);
      return lines::pick(all, all, [](int lane) { return lane / Fold < n ? lane % Fold * n + lane / Fold : 0; });
    } else if constexpr (Fold == 2) {
      return lines::pick(load(0), load(1), in_turn);
    } else {
      return lines::pick(lines::pick(load(0), load(2), in_turn), lines::pick(load(1), load(3), in_turn), in_turn);
    }
  }
  RIDGEPOINT_INLINE static vec rows_inside(const T* b) noexcept {
    return rows([=](int q) RIDGEPOINT_INLINE_LAMBDA { return simd::load(b + q * E.b_ld); });
  }
  /// Adds step P. The last step is shifted back to stay inside; depth that is already summed is masked.
  template <int P>
  RIDGEPOINT_INLINE static void step(vec (&sum)[Mr], const T* a, const T* b) noexcept {
    constexpr bool short_one = rest != 0 && P == steps - 1;
    constexpr index_t p = short_one ? E.k - Fold : P * Fold;
    vec bp = rows([=](int q) RIDGEPOINT_INLINE_LAMBDA {
      const T* const row = b + (p + q) * E.b_ld;
      return inside(p) ? simd::load(row) : simd::load_partial(row, adjacent ? Fold * n : n);
    });
    simd::hold(bp);
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      const vec ai = lines::repeat(a + i * E.a_ld + p);
      if constexpr (short_one) sum[i] = lines::template fma_last<rest>(ai, bp, sum[i]);
      else sum[i] = simd::fma(ai, bp, sum[i]);
    }
  }

  /// lane l ← sum of the pair of adjacent lanes with number position(l), counted over x and y.
  template <class Position>
  RIDGEPOINT_INLINE static vec sums_of_pairs(vec x, vec y, Position) noexcept {
    return lines::pick(x, y, [](int lane) { return 2 * Position{}(lane); }) +
           lines::pick(x, y, [](int lane) { return 2 * Position{}(lane) + 1; });
  }
  /// Fold rows of C with the lanes of each column added: row r from lane r·Stride on.
  template <int Stride>
  RIDGEPOINT_INLINE static vec unfold(const vec (&row)[Fold]) noexcept {
    const auto place = [](int lane) {
      const int at = lane / Stride * width + lane % Stride;
      return lane % Stride < width && at < lanes ? at : 0;
    };
    const auto in_turn = [](int lane) { return lane; };
    if constexpr (Fold == 2) return sums_of_pairs(row[0], row[1], place);
    else return sums_of_pairs(sums_of_pairs(row[0], row[1], in_turn), sums_of_pairs(row[2], row[3], in_turn), place);
  }

  RIDGEPOINT_INLINE static void run(const T* a, const T* b, T* c, T alpha, T beta) noexcept {
    vec sum[slices][Mr];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) sum[s][i] = vec(T(0));
    }
    for (index_t p = 0; p < in_loop * Fold; p += slices * Fold) {
      RIDGEPOINT_UNROLL
      for (int s = 0; s < slices; ++s) {
        vec bp = rows_inside(b + (p + s * Fold) * E.b_ld);
        simd::hold(bp);
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Mr; ++i) sum[s][i] = simd::fma(lines::repeat(a + i * E.a_ld + p + s * Fold), bp, sum[s][i]);
      }
    }
    [&]<int... P>(std::integer_sequence<int, P...>) RIDGEPOINT_INLINE_LAMBDA {
      (step<in_loop + P>(sum[P % slices], a, b), ...);
    }
    (std::make_integer_sequence<int, steps - in_loop>{});
    RIDGEPOINT_UNROLL
    for (int s = 1; s < slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) sum[0][i] = sum[0][i] + sum[s][i];
    }
    // Rows of a dense C are stored together, others one by one.
    constexpr bool dense = E.c_ld == E.n;
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Mr; i += Fold) {
      vec row[Fold];
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Fold; ++r) row[r] = sum[0][(std::min)(i + r, Mr - 1)];
      vec out = unfold < dense ? n : width > (row);
      if (alpha != T(1)) out = vec(alpha) * out;
      const int count = (std::min)(Fold, Mr - i), together = dense ? count : 1;
      RIDGEPOINT_UNROLL
      for (int r = 0; r < count; r += together) {
        T* const to = c + (i + r) * E.c_ld;
        if (beta != T(0)) out = simd::fma(vec(beta), lines::load_lanes(to, r * width, together * n), out);
        lines::store_lanes(to, out, r * width, together * n);
      }
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
