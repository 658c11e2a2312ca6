// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/gemm/finish.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/gemm/vectors.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/simd/batch.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Run of dot-product tiles: c ← α·x·y + β·c. x is a few lines of one operand (rows of A or columns of B), y a few
/// lines of the other; all are contiguous along the depth. Strides are in elements.
template <class T>
struct dot_run {
  index_t tiles, k;
  const T *x, *y;
  index_t x_ld, y_ld;  // from one line to the next
  T* c;
  index_t c_x, c_y;  // between the results of adjacent lines
  index_t x_tile, y_tile, c_tile;
  T alpha, beta;
  index_t segments = 1;                                      // of k steps; each following segment has its own offset
  const index_t *x_offsets = nullptr, *y_offsets = nullptr;  // of segments 2 …, from the first; null: contiguous
  bool splits = false;  // sum the depth in parts: C is one tile, however its rows are divided
};

/// Number of parts of the depth that keeps eight sums in flight, for a C that is one tile: must not depend on how rows
/// are divided among threads.
[[nodiscard]] constexpr int dot_parts(int sums) noexcept { return sums >= 6 ? 1 : sums >= 3 ? 2 : sums == 2 ? 4 : 8; }

/// A run of tiles of Xs by Ys lines, Xs ≤ Ys.
///
/// Vectors run along the depth, so a narrow C wastes no lanes: Xs·Ys accumulators for Xs + Ys loads per step, folded
/// into scalars once at the end. Eight fill two FMA pipes; fewer can sum the depth in parts. Lines of A and B are
/// interchangeable here: a 2×4 tile also computes 4×2. Work: 2·tiles·Xs·Ys·k FLOP.
template <class T, int Xs, int Ys>
RIDGEPOINT_NOINLINE void dot_tiles(const dot_run<T>& t) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  constexpr int parts = dot_parts(Xs * Ys);
  const index_t k = t.k, segments = t.segments, x_ld = t.x_ld, y_ld = t.y_ld, c_x = t.c_x, c_y = t.c_y;
  const bool splits = t.splits, adds = !exactly(t.beta, T(0));
  const T alpha = t.alpha, beta = t.beta, *x = t.x, *y = t.y;
  T* c = t.c;
  for (index_t tile = 0; tile < t.tiles; ++tile, x += t.x_tile, y += t.y_tile, c += t.c_tile) {
    vec acc[parts][Xs * Ys];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < parts; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Xs * Ys; ++i) acc[s][i] = vec(T(0));
    }
    const T *x_line = x, *y_line = y;
    const auto step = [&](vec(&sum)[Xs * Ys], index_t p, auto load) RIDGEPOINT_INLINE_LAMBDA {
      vec held[Xs];  // the shorter side stays in registers
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Xs; ++i) {
        held[i] = load(x_line + i * x_ld + p);
        if constexpr (Ys > 1) simd::hold(held[i]);
      }
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Ys; ++j) {
        const vec other = load(y_line + j * y_ld + p);
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Xs; ++i) sum[i * Ys + j] = simd::fma(held[i], other, sum[i * Ys + j]);
      }
    };
    const auto whole = [](const T* p) RIDGEPOINT_INLINE_LAMBDA { return simd::load(p); };
    for (index_t segment = 0;;) {
      index_t p = 0;
      if constexpr (parts > 1) {
        if (splits)
          for (; p + parts * lanes <= k; p += parts * lanes) {
            RIDGEPOINT_UNROLL
            for (int s = 0; s < parts; ++s) step(acc[s], p + s * lanes, whole);
          }
      }
      for (; p + lanes <= k; p += lanes) step(acc[0], p, whole);
      if (p < k) step(acc[0], p, [&](const T* q) RIDGEPOINT_INLINE_LAMBDA { return simd::load_partial(q, k - p); });
      if (++segment == segments) break;
      x_line = x + (t.x_offsets != nullptr ? t.x_offsets[segment - 1] : segment * k);
      y_line = y + (t.y_offsets != nullptr ? t.y_offsets[segment - 1] : segment * k);
    }
    if (parts > 1 && splits) {
      RIDGEPOINT_UNROLL
      for (int s = 1; s < parts; ++s) {
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Xs * Ys; ++i) acc[0][i] = acc[0][i] + acc[s][i];
      }
    }
    T out[Xs * Ys];
    simd::sums(acc[0], out);
    T* line = c;
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Xs; ++i, line += c_x) {
      T* to = line;
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Ys; ++j, to = simd::next_line(to, c_y)) {
        T value = alpha * out[i * Ys + j];
        if (adds) {
          asm("" : "+x"(value));  // round the product with β only with the sum
          value += beta * *to;
        }
        *to = value;
      }
    }
  }
}

/// Operands of an m×n C computed as dot products: rows of A and columns of B, contiguous in depth; rows of C.
template <class T>
struct dot_operands {
  index_t k = 0;
  const T* a = nullptr;
  index_t a_ld = 0;
  const T* b = nullptr;
  index_t b_ld = 0;
  T* c = nullptr;
  index_t ldc = 0;
  index_t segments = 1;                // of k steps each
  const index_t* a_offsets = nullptr;  // segments of A's rows, as in dot_run; columns of B are contiguous
};

namespace detail {
template <class T>
using dot_function = void (*)(const dot_run<T>&) noexcept;

/// dot_tiles() of Xs by 1 … lines of the other side; nullptr where Xs is the longer side or a tile does not fit.
template <class T, int Xs>
inline constexpr auto dot_tiles_of = []<int... Y>(std::integer_sequence<int, Y...>) {
  const auto tile = []<int Ys>() -> dot_function<T> {
    if constexpr (Xs <= Ys && tile_fits(native_unit, Xs, Ys)) return &dot_tiles<T, Xs, Ys>;
    else return nullptr;
  };
  return std::array<dot_function<T>, sizeof...(Y)>{tile.template operator()<Y + 1>()...};
}
(std::make_integer_sequence<int, most_dot_rows>{});

template <class T>
inline constexpr auto dot_tiles_by_shape = []<int... X>(std::integer_sequence<int, X...>) {
  return std::array{dot_tiles_of<T, X + 1>...};
}
(std::make_integer_sequence<int, dot_columns(native_unit)>{});
}  // namespace detail

/// c ← f(c + bias): the rest of `options` after α and β.
template <class T>
void finish_dots(index_t m, index_t n, T* c, index_t ldc, const gemm_options<T>& options) noexcept {
  const T* const bias = options.bias;
  const bool relu = options.act == activation::relu;
  if (bias == nullptr && !relu) return;
  for (index_t i = 0; i < m; ++i, c += ldc)
    for (index_t j = 0; j < n; ++j) {
      const T value = bias != nullptr ? c[j] + bias[j] : c[j];
      c[j] = relu && value < T(0) ? T(0) : value;
    }
}

/// C(m×n) ← f(α·A·B + β·C + bias), f none or relu, as dot products: one thread's share of `all_rows`; only `all_rows`
/// determines the order of summation.
template <class T>
void gemm_dot(index_t m, index_t n, index_t all_rows, const dot_operands<T>& g,
              const gemm_options<T>& options) noexcept {
  index_t first = 0;  // row that is not yet computed
  if (n == 1 && g.segments == 1)
    first = gemm_column<T>({m, g.k, g.a, g.a_ld, g.b, g.c, g.ldc, options.alpha, options.beta});
  const index_t widest = dot_width(native_unit, dot_height(native_unit, m)),
                groups = n <= widest ? 1 : ceil_div(n, widest);
  for (index_t group = 0, j = 0; group < groups; ++group) {
    const index_t width = group + 1 == groups ? n - j : ceil_div(n - j, groups - group);
    if (first == m) break;
    for (const auto [row, height, tiles] : tile_split::of(m - first, dot_rows(native_unit, width)).runs()) {
      const index_t i = first + row;
      const T *const a = g.a + i * g.a_ld, *const b = g.b + j * g.b_ld;
      const bool rows_first = height <= width;  // x is the shorter side
      const index_t a_tile = height * g.a_ld, xs = rows_first ? height : width, ys = rows_first ? width : height;
      detail::dot_tiles_by_shape<T>[static_cast<std::size_t>(xs - 1)][static_cast<std::size_t>(ys - 1)](
          {.tiles = tiles,
           .k = g.k,
           .x = rows_first ? a : b,
           .y = rows_first ? b : a,
           .x_ld = rows_first ? g.a_ld : g.b_ld,
           .y_ld = rows_first ? g.b_ld : g.a_ld,
           .c = g.c + i * g.ldc + j,
           .c_x = rows_first ? g.ldc : 1,
           .c_y = rows_first ? 1 : g.ldc,
           .x_tile = rows_first ? a_tile : 0,
           .y_tile = rows_first ? 0 : a_tile,
           .c_tile = height * g.ldc,
           .alpha = options.alpha,
           .beta = options.beta,
           .segments = g.segments,
           .x_offsets = rows_first ? g.a_offsets : nullptr,
           .y_offsets = rows_first ? nullptr : g.a_offsets,
           .splits = all_rows == height});
    }
    j += width;
  }
  finish_dots(m, n, g.c, g.ldc, options);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
