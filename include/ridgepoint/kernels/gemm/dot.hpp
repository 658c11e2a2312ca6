// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// out[i][j] ← Σ_p a_i[p]·b_j[p] for Rows rows of A and Cols columns of B, both contiguous in p.
///
/// Vectors run along the depth, so nothing is wasted on a narrow C: Rows·Cols accumulators for Rows + Cols loads a
/// step, folded into scalars once at the end. Eight fill two FMA pipes; fewer sum the depth in Parts parts.
/// Work: 2·Rows·Cols·k FLOP.
template <class T, int Rows, int Cols, int Parts>
RIDGEPOINT_INLINE void dot_tile(index_t k, const T* a, index_t a_ld, const T* b, index_t b_ld, T* out) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  vec acc[Parts][Rows * Cols];
  RIDGEPOINT_UNROLL
  for (int s = 0; s < Parts; ++s) {
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows * Cols; ++i) acc[s][i] = vec(T(0));
  }
  const auto step = [&](vec(&sum)[Rows * Cols], index_t p, auto load) RIDGEPOINT_INLINE_LAMBDA {
    constexpr bool holds_a = Rows <= Cols;  // the shorter side stays in registers
    constexpr int held = std::min(Rows, Cols), others = std::max(Rows, Cols);
    vec first[held];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < held; ++i) {
      first[i] = load(holds_a ? a + i * a_ld + p : b + i * b_ld + p);
      if constexpr (others > 1) simd::hold(first[i]);
    }
    RIDGEPOINT_UNROLL
    for (int j = 0; j < others; ++j) {
      const vec second = load(holds_a ? b + j * b_ld + p : a + j * a_ld + p);
      RIDGEPOINT_UNROLL
      for (int i = 0; i < held; ++i) {
        vec& to = sum[holds_a ? i * Cols + j : j * Cols + i];
        to = simd::fma(first[i], second, to);
      }
    }
  };
  const auto whole = [](const T* p) RIDGEPOINT_INLINE_LAMBDA { return simd::load(p); };
  index_t p = 0;
  if constexpr (Parts > 1)
    for (; p + Parts * lanes <= k; p += Parts * lanes) {
      RIDGEPOINT_UNROLL
      for (int s = 0; s < Parts; ++s) step(acc[s], p + s * lanes, whole);
    }
  for (; p + lanes <= k; p += lanes) step(acc[0], p, whole);
  if (p < k) step(acc[0], p, [&](const T* q) RIDGEPOINT_INLINE_LAMBDA { return simd::load_partial(q, k - p); });
  RIDGEPOINT_UNROLL
  for (int s = 1; s < Parts; ++s) {
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows * Cols; ++i) acc[0][i] = acc[0][i] + acc[s][i];
  }
  simd::sums(acc[0], out);
}

/// Parts of the depth, so that eight sums are under way, for a C that is one tile: it must not depend on how rows fall
/// to threads.
[[nodiscard]] constexpr int dot_parts(int sums) noexcept { return sums >= 6 ? 1 : sums >= 3 ? 2 : sums == 2 ? 4 : 8; }

/// What a run of dot_tiles reads and writes: rows of A, columns of B, contiguous in depth; rows of C.
template <class T>
struct dot_operands {
  index_t k = 0;
  const T* a = nullptr;
  index_t a_ld = 0;
  const T* b = nullptr;
  index_t b_ld = 0;
  T* c = nullptr;
  index_t ldc = 0;
};

/// Rows · tiles rows and Cols columns of C ← f(products), from row i of A and column j of B on.
template <class T, int Rows, int Cols, int Parts>
RIDGEPOINT_NOINLINE void dot_tiles(index_t i, index_t j, index_t tiles, const dot_operands<T>& t,
                                   const gemm_options<T>& options) noexcept {
  const index_t k = t.k, a_ld = t.a_ld, b_ld = t.b_ld, ldc = t.ldc;
  const bool plain = is_plain(options);
  const T alpha = options.alpha;
  const T *a = t.a + i * a_ld, *const b = t.b + j * b_ld;
  T* c = t.c + i * ldc + j;
  for (; tiles > 0; --tiles, a += Rows * a_ld) {
    T out[Rows * Cols];
    dot_tile<T, Rows, Cols, Parts>(k, a, a_ld, b, b_ld, out);
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Rows; ++r, c = simd::next_line(c, ldc)) {
      if (plain) {
        RIDGEPOINT_UNROLL
        for (int q = 0; q < Cols; ++q) c[q] = alpha * out[r * Cols + q];
      } else {
        for (int q = 0; q < Cols; ++q) finish_element(options, j + q, out[r * Cols + q], c[q]);
      }
    }
  }
}

/// C(m×n) ← f(α·A·B + β·C + bias) but for activations other than relu, as dot products: one thread's share of
/// `all_rows`, which alone decide the order of summation.
template <class T>
void gemm_dot(index_t m, index_t n, index_t all_rows, const dot_operands<T>& t,
              const gemm_options<T>& options) noexcept {
  const index_t groups = ceil_div(n, dot_width(dot_height(m)));
  for (index_t g = 0, j = 0; g < groups; ++g) {
    const index_t width = ceil_div(n - j, groups - g);
    with_constant<1, dot_columns>(width, [&](auto columns) {
      constexpr int cols = static_cast<int>(columns), most = dot_rows(cols);
      tile_split::of(m, most).for_runs([&](index_t i, index_t height, index_t tiles) {
        with_constant<1, most>(static_cast<int>(height), [&](auto rows) {
          constexpr int parts = dot_parts(rows * cols);
          if (parts > 1 && all_rows == rows) dot_tiles<T, rows, cols, parts>(i, j, 1, t, options);
          else dot_tiles<T, rows, cols, 1>(i, j, tiles, t, options);
        });
      });
    });
    j += width;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
