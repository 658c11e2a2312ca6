// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/simd/fold.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Run of tiles of a narrow C, one under another: c ← f(α·a·b + β·c + bias), f none or relu. A is row-major, B dense.
/// Strides are in elements.
template <class T>
struct narrow_run {
  index_t tiles, k, n;
  const T* a;
  index_t lda, a_tile;
  const T* b;
  T* c;
  index_t ldc, c_tile;
  const gemm_options<T>& options;
};

/// A run of tiles of Mr rows. A register holds Fold rows of B interleaved, and Fold values of A repeated to match: one
/// FMA does Fold steps in depth for all columns. The sums of each column are added once at the end, Fold rows of C
/// together. The depth is summed in Fold·Slices interleaved parts.
/// Work: 2·tiles·Mr·n·k FLOP. Requires: n ≤ lanes/Fold.
template <class T, int Fold, int Mr, int Slices>
RIDGEPOINT_NOINLINE void narrow_tiles(const narrow_run<T>& t) noexcept {
  using vec = simd::batch<T>;
  using lines = simd::folded<T, Fold>;
  constexpr index_t lanes = simd::lanes<T>;
  constexpr int width = lanes / Fold;
  const index_t lda = t.lda, ldc = t.ldc, k = t.k;
  const int n = static_cast<int>(t.n);
  const T *a_first = t.a, *const b = t.b;
  T* c = t.c;
  const T alpha = t.options.alpha, beta = t.options.beta;
  const bool relu = t.options.act == activation::relu;
  const auto places = lines::folded_places(t.n);
  const auto rows_of_c = [=](const T* from, index_t ld, int count) RIDGEPOINT_INLINE_LAMBDA {  // each in its lanes
    vec all(T(0));
    for (int r = 0; r < count; ++r, from = simd::next_line(from, ld)) all = all + lines::load_lanes(from, r * width, n);
    return all;
  };
  vec bias(T(0));
  if (t.options.bias != nullptr) bias = rows_of_c(t.options.bias, 0, Fold);
  const index_t inside =
      k - ceil_div(lanes, t.n) + Fold;  // a full register of B from up to Fold rows before is inside it
  for (index_t tile = 0; tile < t.tiles; ++tile, a_first += t.a_tile, c += t.c_tile) {
    vec sum[Slices][Mr];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < Slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) sum[s][i] = vec(T(0));
    }
    const auto step = [&](vec(&to)[Mr], index_t p, vec lines_of_b, auto repeat) RIDGEPOINT_INLINE_LAMBDA {
      vec bp = lines::place(lines_of_b, places);
      simd::hold(bp);
      const T* a = a_first + p;
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i, a = simd::next_line(a, lda)) to[i] = simd::fma(repeat(a), bp, to[i]);
    };
    const auto whole = [](const T* p) RIDGEPOINT_INLINE_LAMBDA { return lines::repeat(p); };
    const auto part = [&](index_t p) RIDGEPOINT_INLINE_LAMBDA {
      return simd::load_partial(b + p * n, (std::min)(lanes, (k - p) * n));
    };
    index_t p = 0;
    if constexpr (Slices > 1)
      for (; p + Slices * Fold <= inside; p += Slices * Fold) {
        RIDGEPOINT_UNROLL
        for (int s = 0; s < Slices; ++s) step(sum[s], p + s * Fold, simd::load(b + (p + s * Fold) * n), whole);
      }
    for (; p + Fold <= inside; p += Fold) step(sum[0], p, simd::load(b + p * n), whole);
    for (; p + Fold <= k; p += Fold) step(sum[0], p, part(p), whole);
    if (p < k)
      step(sum[0], p, part(p), [=](const T* q) RIDGEPOINT_INLINE_LAMBDA { return lines::repeat_first(q, k - p); });
    RIDGEPOINT_UNROLL
    for (int s = 1; s < Slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) sum[0][i] = sum[0][i] + sum[s][i];
    }
    T* to = c;
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Mr; i += Fold) {
      const int count = (std::min)(Fold, Mr - i);
      vec row[Fold];
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Fold; ++r) row[r] = sum[0][(std::min)(i + r, Mr - 1)];
      vec out = vec(alpha) * lines::add_lines(row);
      if (!exactly(beta, T(0))) out = simd::fma(vec(beta), rows_of_c(to, ldc, count), out);
      out = out + bias;
      if (relu) out = (simd::max)(out, vec(T(0)));
      RIDGEPOINT_UNROLL
      for (int r = 0; r < count; ++r, to = simd::next_line(to, ldc)) lines::store_lanes(to, out, r * width, n);
    }
  }
}

/// Rows of the tallest tile.
inline constexpr int most_narrow_rows = 8;

/// C(m×n) ← f(α·A·B + β·C + bias), f none or relu, for n ≤ lanes/2: one thread's share of `all_rows`; only `all_rows`
/// determines the order of summation. Requires: A row-major, B dense, C of adjacent columns.
template <class T>
void gemm_narrow_rows(index_t m, index_t n, index_t k, index_t all_rows, const T* a, index_t lda, const T* b, T* c,
                      index_t ldc, const gemm_options<T>& options) noexcept {
  using function = void (*)(const narrow_run<T>&) noexcept;
  const auto run = [&]<int Fold>() {
    if constexpr (simd::folded<T, Fold>::pays) {
      static constexpr auto of = []<int... Row>(std::integer_sequence<int, Row...>) {
        return std::array<std::array<function, most_narrow_rows>, 2>{{{&narrow_tiles<T, Fold, Row + 1, 1>...},
                                                                      {&narrow_tiles < T, Fold, Row + 1,
                                                                       Row < 2   ? 4
                                                                       : Row < 4 ? 2
                                                                                 : 1 > ...}}};
      }
      (std::make_integer_sequence<int, most_narrow_rows>{});
      const auto& tiles = of[all_rows <= 4 ? 1 : 0];
      tile_split::of(m, index_t{most_narrow_rows}).for_runs([&](index_t i, index_t mr, index_t count) {
        tiles[static_cast<std::size_t>(mr - 1)]({.tiles = count,
                                                 .k = k,
                                                 .n = n,
                                                 .a = a + i * lda,
                                                 .lda = lda,
                                                 .a_tile = mr * lda,
                                                 .b = b,
                                                 .c = c + i * ldc,
                                                 .ldc = ldc,
                                                 .c_tile = mr * ldc,
                                                 .options = options});
      });
    }
  };
  switch (narrow_fold<T>(native_unit, n, k)) {
    case 8:
      run.template operator()<8>();
      break;
    case 4:
      run.template operator()<4>();
      break;
    default:
      run.template operator()<2>();
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
