// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/simd/fold.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

/// \file
/// A C of one row, a row vector times a row-major B; and of one column, dot products of rows of A with a vector.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// y[0, n) += Σ_{q < Rows} x[q]·b_q for Rows adjacent rows b_q of B, contiguous in j.
template <class T, int Rows>
RIDGEPOINT_NOINLINE void gemv_rows(index_t n, const T* x, const T* b, index_t ldb, T* y) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  vec xq[Rows];
  RIDGEPOINT_UNROLL
  for (int q = 0; q < Rows; ++q) xq[q] = vec(x[q]);
  index_t j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes) {
    vec y0 = simd::load(y + j), y1 = simd::load(y + j + lanes);
    RIDGEPOINT_UNROLL
    for (int q = 0; q < Rows; ++q) {
      y0 = simd::fma(xq[q], simd::load(b + q * ldb + j), y0);
      y1 = simd::fma(xq[q], simd::load(b + q * ldb + j + lanes), y1);
    }
    simd::store(y + j, y0);
    simd::store(y + j + lanes, y1);
  }
  for (; j < n; j += lanes) {
    const index_t valid = (std::min)(lanes, n - j);
    vec y0 = simd::load_partial(y + j, valid);
    RIDGEPOINT_UNROLL
    for (int q = 0; q < Rows; ++q) y0 = simd::fma(xq[q], simd::load_partial(b + q * ldb + j, valid), y0);
    simd::store_partial(y + j, y0, valid);
  }
}

/// y ← x·B for a row vector x (k) and row-major B (k×n).
///
/// Bound by reading B once: eight rows stream in parallel, long enough for the hardware's prefetchers, and y stays
/// in L1 (a chunk of 4096 values), read and written once per eight rows. Work: 2·n·k FLOP.
template <class T>
void gemv(const T* x, matrix_view<const T> b, T* y) noexcept {
  constexpr index_t chunk = 4096, rows = 8;
  for (index_t j = 0; j < b.cols; j += chunk) {
    const index_t n = (std::min)(chunk, b.cols - j);
    std::fill_n(y + j, n, T(0));
    index_t p = 0;
    for (; p + rows <= b.rows; p += rows) gemv_rows<T, rows>(n, x + p, &b(p, j), b.row_stride, y + j);
    for (; p < b.rows; ++p) gemv_rows<T, 1>(n, x + p, &b(p, j), b.row_stride, y + j);
  }
}

/// Maximum width of a part of a small row, in vectors: 512 columns of depth 60 take 1.36 µs, in parts of 4 vectors 1.60
/// µs; of 12 1.30 µs, with half as much code again.
inline constexpr int most_row_vectors = 8;

/// c ← f(α·x·B + β·c + bias), f none or relu, for `count` times Nv vectors of columns from j on, in registers. The
/// depth is summed in interleaved parts, so that eight FMAs are in flight. The last vector overlaps the one before, or
/// is masked if it is the only one.
template <class T, int Nv>
RIDGEPOINT_NOINLINE void row_parts(const gemm_args<T>& g, index_t j, index_t count) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  constexpr int parts = Nv > 4 ? 1 : Nv > 2 ? 2 : 4;
  const index_t k = g.a.cols, x_step = g.a.col_stride, ldb = g.b.row_stride;
  for (; count > 0; --count, j += Nv * lanes) {
    const index_t n = (std::min)(Nv * lanes, g.c.cols - j), last = (std::min)(n, lanes), last_at = n - last;
    const T *x = g.a.data, *b = g.b.data + j;
    const auto column = [&](int v) RIDGEPOINT_INLINE_LAMBDA { return v == Nv - 1 ? last_at : v * lanes; };
    const auto load = [&](const T* from, int v) RIDGEPOINT_INLINE_LAMBDA {
      if constexpr (Nv == 1) return simd::load_partial(from, last);
      else return simd::load(from + column(v));
    };
    vec sum[parts][Nv];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < parts; ++s) {
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) sum[s][v] = vec(T(0));
    }
    index_t p = 0;
    const auto step = [&](vec(&to)[Nv]) RIDGEPOINT_INLINE_LAMBDA {
      const vec xp(*x);
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) to[v] = simd::fma(xp, load(b, v), to[v]);
      x += x_step, b += ldb;
    };
    for (; p + parts <= k; p += parts) {
      RIDGEPOINT_UNROLL
      for (int s = 0; s < parts; ++s) step(sum[s]);
    }
    RIDGEPOINT_UNROLL
    for (int s = 0; s < parts - 1; ++s) {
      if (p + s < k) step(sum[s]);
    }
    RIDGEPOINT_UNROLL
    for (int s = parts / 2; s > 0; s /= 2) {
      RIDGEPOINT_UNROLL
      for (int q = 0; q < s; ++q) {
        RIDGEPOINT_UNROLL
        for (int v = 0; v < Nv; ++v) sum[q][v] = sum[q][v] + sum[q + s][v];
      }
    }
    T* const c = g.c.data + j;
    const gemm_options<T>& o = g.options;
    RIDGEPOINT_UNROLL
    for (int v = 0; v < Nv; ++v) sum[0][v] = vec(o.alpha) * sum[0][v];
    if (!exactly(o.beta, T(0))) {  // all is read before any of it is written
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) sum[0][v] = simd::fma(vec(o.beta), load(c, v), sum[0][v]);
    }
    if (o.bias != nullptr) {
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) sum[0][v] = sum[0][v] + load(o.bias + j, v);
    }
    if (o.act == activation::relu) {
      RIDGEPOINT_UNROLL
      for (int v = 0; v < Nv; ++v) sum[0][v] = (simd::max)(sum[0][v], vec(T(0)));
    }
    RIDGEPOINT_UNROLL
    for (int v = 0; v < Nv; ++v) {
      if constexpr (Nv == 1) simd::store_partial(c, sum[0][v], last);
      else simd::store(c + column(v), sum[0][v]);
    }
  }
}

/// Computes a row of C whose B stays in the caches: in parts of a few vectors, each along the whole depth.
/// Requires: one row; B and C of adjacent columns.
template <class T>
void small_row(const gemm_args<T>& g) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  static constexpr auto of_width = []<int... V>(std::integer_sequence<int, V...>) {
    return std::array{&row_parts<T, V + 1>...};
  }
  (std::make_integer_sequence<int, most_row_vectors>{});
  const index_t all = ceil_div(g.c.cols, lanes);
  for (const auto [v, vectors, count] : tile_split::of(all, index_t{most_row_vectors}).runs())
    of_width[static_cast<std::size_t>(vectors - 1)](g, v * lanes, count);
}

/// c ← α·A·x + β·c for one column. Rows of A and x are contiguous; strides are in elements.
template <class T>
struct column_product {
  index_t m, k;
  const T* a;
  index_t lda;
  const T* x;
  T* c;
  index_t ldc;
  T alpha, beta;

  /// Finishes and stores the first `count` of the products of rows from i on.
  RIDGEPOINT_INLINE void store(index_t i, index_t count, simd::batch<T> products) const noexcept {
    using vec = simd::batch<T>;
    const bool adds = !exactly(beta, T(0));
    vec out = vec(alpha) * products;
    T* const to = c + i * ldc;
    if (ldc == 1) {
      if (adds) out = simd::fma(vec(beta), simd::load_partial(to, count), out);
      return simd::store_partial(to, out, count);
    }
    T each[simd::lanes<T>] = {};
    if (adds) {
      for (index_t r = 0; r < count; ++r) each[r] = to[r * ldc];
      out = simd::fma(vec(beta), simd::load(each), out);
    }
    simd::store(each, out);
    for (index_t r = 0; r < count; ++r) to[r * ldc] = each[r];
  }
};

/// Computes a column whose rows have k ≤ Fold values: lanes/Fold rows in each of Fold registers.
template <class T, int Fold>
RIDGEPOINT_NOINLINE void short_column(const column_product<T>& g) noexcept {
  using vec = simd::batch<T>;
  using lines = simd::folded<T, Fold>;
  constexpr index_t lanes = simd::lanes<T>, each = lanes / Fold;  // rows in a register
  const index_t k = g.k, lda = g.lda;
  const vec x = k == Fold ? lines::repeat(g.x) : lines::repeat_first(g.x, k);
  const auto places = lines::spread_places(k);
  const auto block = [&](index_t i, auto rows_of) RIDGEPOINT_INLINE_LAMBDA {
    vec part[Fold];
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Fold; ++r) part[r] = rows_of(i + r * each) * x;
    return lines::add_lines(part);
  };
  const auto adjacent = [&](index_t i, index_t count) RIDGEPOINT_INLINE_LAMBDA {
    return lines::spread(simd::load_partial(g.a + i * k, count * k), places, k);
  };
  const auto separate = [&](index_t i, index_t count) RIDGEPOINT_INLINE_LAMBDA {
    vec all(T(0));
    for (index_t r = 0; r < count; ++r)
      all = all + lines::load_lanes(g.a + (i + r) * lda, static_cast<int>(r * Fold), static_cast<int>(k));
    return all;
  };
  index_t i = 0;
  if (lda == Fold && k == Fold)
    for (; i + lanes <= g.m; i += lanes)
      g.store(i, lanes, block(i, [&](index_t row) RIDGEPOINT_INLINE_LAMBDA { return simd::load(g.a + row * Fold); }));
  if (lda == k)
    for (; i + 2 * lanes <= g.m; i += lanes)  // a full register from any of these rows on is inside A
      g.store(i, lanes, block(i, [&](index_t row) RIDGEPOINT_INLINE_LAMBDA {
                return lines::spread(simd::load(g.a + row * k), places, k);
              }));
  for (; i < g.m; i += lanes)
    g.store(i, (std::min)(lanes, g.m - i), block(i, [&](index_t row) RIDGEPOINT_INLINE_LAMBDA {
              const index_t first = (std::min)(row, g.m), count = (std::min)(g.m - first, each);
              return lda == k ? adjacent(first, count) : separate(first, count);
            }));
}

/// Computes a column whose rows have one value.
template <class T>
RIDGEPOINT_NOINLINE void scaled_column(const column_product<T>& g) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  const simd::batch<T> x(*g.x);
  index_t i = 0;
  for (; i + lanes <= g.m; i += lanes) g.store(i, lanes, simd::load(g.a + i) * x);
  if (i < g.m) g.store(i, g.m - i, simd::load_partial(g.a + i, g.m - i) * x);
}

/// Computes groups of as many rows as a register has lanes; returns the number of rows computed.
template <class T>
RIDGEPOINT_NOINLINE index_t long_column(const column_product<T>& g) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  index_t i = 0;
  for (; i + lanes <= g.m; i += lanes) {
    vec sum[lanes];
    RIDGEPOINT_UNROLL
    for (int r = 0; r < lanes; ++r) sum[r] = vec(T(0));
    const auto step = [&](index_t p, auto load) RIDGEPOINT_INLINE_LAMBDA {
      vec xp = load(g.x + p);
      simd::hold(xp);
      const T* row = g.a + i * g.lda + p;
      RIDGEPOINT_UNROLL
      for (int r = 0; r < lanes; ++r, row = simd::next_line(row, g.lda)) sum[r] = simd::fma(load(row), xp, sum[r]);
    };
    index_t p = 0;
    for (; p + lanes <= g.k; p += lanes) step(p, [](const T* q) RIDGEPOINT_INLINE_LAMBDA { return simd::load(q); });
    if (p < g.k) step(p, [&](const T* q) RIDGEPOINT_INLINE_LAMBDA { return simd::load_partial(q, g.k - p); });
    T out[lanes];
    simd::sums(sum, out);
    g.store(i, lanes, simd::load(out));
  }
  return i;
}

/// Computes the first rows of a column, and returns their number: all rows if they are short. Long rows that begin in
/// one L1 set evict each other: 16 rows of 2048 take 1.75 µs together, 1.53 µs as dot products; of 2000 1.30 and 1.45.
template <class T>
index_t gemm_column(const column_product<T>& g) noexcept {
  if constexpr (simd::folded<T, 2>::pays) {
    if (g.k == 1 && g.lda == 1) return scaled_column(g), g.m;
    const auto is_short = [&]<int Fold>() {
      if constexpr (!simd::folded<T, Fold>::pays) return false;
      else return column_fold<T>(native_unit, g.k) == Fold ? (short_column<T, Fold>(g), true) : false;
    };
    const bool done =
        is_short.template operator()<2>() || is_short.template operator()<4>() || is_short.template operator()<8>();
    const bool same_set = g.lda * index_t{sizeof(T)} % 4096 == 0;
    return done ? g.m : same_set ? 0 : long_column(g);
  }
  return 0;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
