// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/simd/fold.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

/// \file
/// One column of C: dot products of adjacent rows of A with a vector, a register of results at a time.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

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

/// Rows of k ≤ Fold values: lanes/Fold of them in each of Fold registers.
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

/// Rows of one value.
template <class T>
RIDGEPOINT_NOINLINE void scaled_column(const column_product<T>& g) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  const simd::batch<T> x(*g.x);
  index_t i = 0;
  for (; i + lanes <= g.m; i += lanes) g.store(i, lanes, simd::load(g.a + i) * x);
  if (i < g.m) g.store(i, g.m - i, simd::load_partial(g.a + i, g.m - i) * x);
}

/// As many rows as a register has lanes, of any depth; returns the number of rows computed, a multiple of that.
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

/// Maximum depth of long_column(): of longer rows, fewer are read at a time.
inline constexpr index_t deepest_column = 256;

/// Computes the first rows of a column, and returns their number: all rows if they are short.
template <class T>
index_t gemm_column(const column_product<T>& g) noexcept {
  if constexpr (simd::folded<T, 2>::pays) {
    if (g.k == 1 && g.lda == 1) return scaled_column(g), g.m;
    if (g.k > deepest_column) return 0;
    const auto is_short = [&]<int Fold>() {
      if constexpr (!simd::folded<T, Fold>::pays) return false;
      else return column_fold<T>(native_unit, g.k) == Fold ? (short_column<T, Fold>(g), true) : false;
    };
    const bool done =
        is_short.template operator()<2>() || is_short.template operator()<4>() || is_short.template operator()<8>();
    return done ? g.m : long_column(g);
  }
  return 0;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
