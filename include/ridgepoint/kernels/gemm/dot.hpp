// SPDX-License-Identifier: MIT
#pragma once

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
    vec ap[Rows];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) {
      ap[i] = load(a + i * a_ld + p);
      if constexpr (Cols > 1) simd::hold(ap[i]);
    }
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Cols; ++j) {
      const vec bp = load(b + j * b_ld + p);
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Rows; ++i) sum[i * Cols + j] = simd::fma(ap[i], bp, sum[i * Cols + j]);
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

/// Rows of a dot_tile of `cols` columns: accumulators for both pipes and, where there are registers, for one fold.
[[nodiscard]] constexpr int dot_rows(int cols) noexcept {
  if (simd::native::registers >= 32) return cols <= 2 ? 8 : cols == 3 ? 5 : cols == 4 ? 4 : 3;
  return cols == 1 ? 8 : cols <= 3 ? 4 : 2;
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

/// Rows · tiles rows and Cols columns of C ← f(products).
template <class T, int Rows, int Cols, int Parts>
RIDGEPOINT_NOINLINE void dot_tiles(index_t tiles, dot_operands<T> t, const gemm_options<T>& options) noexcept {
  const bool plain = is_plain(options), adjacent = t.ldc == Cols;
  for (; tiles > 0; --tiles, t.a += Rows * t.a_ld) {
    T out[Rows * Cols];
    dot_tile<T, Rows, Cols, Parts>(t.k, t.a, t.a_ld, t.b, t.b_ld, out);
    if (plain && adjacent) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Rows * Cols; ++i) t.c[i] = options.alpha * out[i];
      t.c += Rows * Cols;
      continue;
    }
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i, t.c = simd::next_line(t.c, t.ldc)) {
      if (plain) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Cols; ++j) t.c[j] = options.alpha * out[i * Cols + j];
      } else {
        for (int j = 0; j < Cols; ++j) finish_element(options, j, out[i * Cols + j], t.c[j]);
      }
    }
  }
}

/// C(m×n) ← f(α·A·B + β·C + bias) but for activations other than relu, as dot products: one thread's share of
/// `all_rows`, which alone decide the order of summation.
template <class T>
void gemm_dot(index_t m, index_t n, index_t all_rows, const dot_operands<T>& all, gemm_options<T> options) noexcept {
  dot_operands<T> t = all;
  const index_t groups = ceil_div(n, dot_columns);
  for (index_t g = 0, j = 0; g < groups; ++g) {
    const index_t width = ceil_div(n - j, groups - g);
    with_constant<1, dot_columns>(width, [&](auto columns) {
      constexpr int cols = static_cast<int>(columns), most = dot_rows(cols);
      tile_split::of(m, most).for_runs([&](index_t i, index_t height, index_t tiles) {
        t.a = all.a + i * t.a_ld;
        t.c = all.c + i * t.ldc + j;
        with_constant<1, most>(static_cast<int>(height), [&](auto rows) {
          constexpr int parts = dot_parts(rows * cols);
          if (parts > 1 && all_rows == rows) dot_tiles<T, rows, cols, parts>(1, t, options);
          else dot_tiles<T, rows, cols, 1>(tiles, t, options);
        });
      });
    });
    j += width;
    t.b += width * t.b_ld;
    if (options.bias != nullptr) options.bias += width;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
