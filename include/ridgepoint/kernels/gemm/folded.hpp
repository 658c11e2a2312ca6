// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/simd/fold.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

/// \file
/// A C of few columns. Folded: a register holds several steps in depth; of extents known at compile time, and of any.
/// By columns: a register holds rows of one column.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Compile-time extents and leading dimensions of a product of row-major operands.
struct fixed_extents {
  index_t m, n, k, a_ld, b_ld, c_ld;
};

/// Returns the fold of a product of known extents: folded_tile() has at most 4.
template <class T>
[[nodiscard]] constexpr int fixed_fold(index_t n, index_t k) noexcept {
  return (std::min)(depth_fold<T>(native_unit, n, k), 4);
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

/// Computes a run of tiles of Mr rows. A register holds Fold rows of B interleaved, and Fold values of A repeated to
/// match: one FMA does Fold steps in depth for all columns. The sums of each column are added once at the end, Fold
/// rows of C together. The depth is summed in Fold·Slices interleaved parts.
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
  const index_t inside = k - ceil_div(lanes, t.n) + Fold;  // end of the rows of B read by full registers
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
      if (t.options.bias != nullptr) out = out + bias;
      if (relu) out = (simd::max)(out, vec(T(0)));
      RIDGEPOINT_UNROLL
      for (int r = 0; r < count; ++r, to = simd::next_line(to, ldc)) lines::store_lanes(to, out, r * width, n);
    }
  }
}

/// Rows of the tallest tile: 24 rows of 8 columns and depth 64 take 190 ns, in tiles of 8 rows 204 ns, of 4 250 ns.
inline constexpr int most_narrow_rows = 12;
/// Returns the interleaved slices of the depth of a C of so few rows that their FMAs alone do not hide the latency.
[[nodiscard]] constexpr int narrow_slices(int rows) noexcept { return rows <= 2 ? 4 : rows <= 4 ? 2 : 1; }
/// Steps from which slices pay for their additions: 1×8 of depth 400, 200 steps, takes 89 ns sliced, 186 ns in one; 1×3
/// of depth 60, 15 steps, 25 and 23 ns.
inline constexpr index_t fewest_sliced_steps = 16;

/// C(m×n) ← f(α·A·B + β·C + bias), f none or relu, for n ≤ lanes/2: one thread's share of `all_rows`; only `all_rows`
/// determines the order of summation. Requires: A row-major, B dense, C of adjacent columns.
template <class T>
void gemm_narrow_rows(index_t m, index_t n, index_t k, index_t all_rows, const T* a, index_t lda, const T* b, T* c,
                      index_t ldc, const gemm_options<T>& options) noexcept {
  using function = void (*)(const narrow_run<T>&) noexcept;
  const auto run = [&]<int Fold>() {
    if constexpr (simd::folded<T, Fold>::pays) {
      using all_rows_of_tile = std::array<function, most_narrow_rows>;
      static constexpr auto of = []<int... Row>(std::integer_sequence<int, Row...>) {
        return std::array<all_rows_of_tile, 2>{
            {{&narrow_tiles<T, Fold, Row + 1, 1>...}, {&narrow_tiles<T, Fold, Row + 1, narrow_slices(Row + 1)>...}}};
      }
      (std::make_integer_sequence<int, most_narrow_rows>{});
      const int rows = static_cast<int>((std::min)(all_rows, index_t{most_narrow_rows}));
      const auto& tiles = of[narrow_slices(rows) > 1 && k >= fewest_sliced_steps * Fold ? 1 : 0];
      for (const auto [i, mr, count] : tile_split::of(m, index_t{most_narrow_rows}).runs())
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
    }
  };
  switch (depth_fold<T>(native_unit, n, k)) {
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

/// Rows of a C of few columns: c ← f(α·a·b + β·c + bias), f none or relu. Strides are in elements.
template <class T>
struct column_run {
  index_t rows, k;
  const T* a;
  index_t lda;
  const T* b;
  index_t ldb;
  T* c;
  index_t ldc;
  const gemm_options<T>& options;
};

/// Computes N columns of C: a register holds `lanes` rows of a column of C, or of A, which is transposed as it is read.
/// Only in the last rows are lanes idle, and no sum is spread over lanes; the last rows are computed with rows before
/// them. Work: 2·rows·N·k FLOP, rows rounded up to lanes.
/// Requires: `lanes` rows, or other rows of A before the first; A and B row-major.
template <class T, int N>
RIDGEPOINT_NOINLINE void column_tiles(const column_run<T>& t) noexcept {
  using vec = simd::batch<T>;
  using lines = simd::columns<T>;
  constexpr int width = lines::width, slices = N < 4 ? 2 : 1;
  constexpr index_t lanes = simd::lanes<T>;
  const index_t k = t.k, lda = t.lda, ldb = t.ldb, rest = k % width;
  const T alpha = t.options.alpha, beta = t.options.beta;
  T ending[lanes * N];
  for (index_t i = 0; i < t.rows; i += lanes) {
    const index_t first = (std::min)(i, t.rows - lanes);
    vec sum[slices][N];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int j = 0; j < N; ++j) sum[s][j] = vec(T(0));
    }
    const T *a = t.a + first * lda, *b = t.b;
    const auto add = [&](vec column, int q) RIDGEPOINT_INLINE_LAMBDA {
      RIDGEPOINT_UNROLL
      for (int j = 0; j < N; ++j) sum[q % slices][j] = simd::fma(column, vec(b[j]), sum[q % slices][j]);
      b = simd::next_line(b, ldb);
    };
    for (const T* const end = a + (k - rest); a != end; a += width) {
      vec column[width];
      lines::load(a, lda, column);
      RIDGEPOINT_UNROLL
      for (int q = 0; q < width; ++q) add(column[q], q);
    }
    if (rest > 0) {
      vec column[width];
      lines::load_first(a, lda, rest, column);
      RIDGEPOINT_UNROLL
      for (int q = 0; q < width - 1; ++q) {
        if (q < rest) add(column[q], q);
      }
    }
    if constexpr (slices > 1) {
      RIDGEPOINT_UNROLL
      for (int j = 0; j < N; ++j) sum[0][j] = sum[0][j] + sum[1][j];
    }
    T* const to = first < i ? ending : t.c + first * t.ldc;
    const index_t ld = first < i ? N : t.ldc;
    if (first < i && !exactly(beta, T(0))) {  // other threads may write the rows of C before
      for (index_t row = 0; row < lanes; ++row)
        for (index_t j = 0; j < N; ++j) ending[row * N + j] = first + row < i ? T(0) : t.c[(first + row) * t.ldc + j];
    }
    RIDGEPOINT_UNROLL
    for (int j = 0; j < N; j += width) {
      const int count = (std::min)(width, N - j);
      vec out[width];
      RIDGEPOINT_UNROLL
      for (int q = 0; q < width; ++q) out[q] = q < count ? vec(alpha) * sum[0][(std::min)(j + q, N - 1)] : vec(T(0));
      if (!exactly(beta, T(0))) {
        vec old[width];
        if (count == width) lines::load(to + j, ld, old);
        else lines::load_first(to + j, ld, count, old);
        RIDGEPOINT_UNROLL
        for (int q = 0; q < count; ++q) out[q] = simd::fma(vec(beta), old[q], out[q]);
      }
      RIDGEPOINT_UNROLL
      for (int q = 0; q < count; ++q) {
        if (t.options.bias != nullptr) out[q] = out[q] + vec(t.options.bias[j + q]);
        if (t.options.act == activation::relu) out[q] = (simd::max)(out[q], vec(T(0)));
      }
      lines::store(to + j, ld, count, out);
    }
    for (index_t row = i - first; first < i && row < lanes; ++row)
      for (index_t j = 0; j < N; ++j) t.c[(first + row) * t.ldc + j] = ending[row * N + j];
  }
}

/// C(m×n) ← f(α·A·B + β·C + bias) by columns, f none or relu. Requires: fits_columns(); A, B and C with adjacent
/// columns; m ≥ lanes, or other rows of A before the first.
template <class T>
void gemm_by_columns(const gemm_args<T>& g) noexcept {
  static_assert(simd::columns<T>::pays == fits_columns<T>(native_unit, 1));
  if constexpr (simd::columns<T>::pays) {
    using function = void (*)(const column_run<T>&) noexcept;
    static constexpr auto of = []<int... Column>(std::integer_sequence<int, Column...>) {
      const auto tiles = []<int N>() -> function {
        if constexpr (fits_columns<T>(native_unit, N)) return &column_tiles<T, N>;
        else return nullptr;
      };
      return std::array{tiles.template operator()<Column + 1>()...};
    }
    (std::make_integer_sequence<int, most_columns>{});
    of[static_cast<std::size_t>(g.c.cols - 1)]({.rows = g.c.rows,
                                                .k = g.a.cols,
                                                .a = g.a.data,
                                                .lda = g.a.row_stride,
                                                .b = g.b.data,
                                                .ldb = g.b.row_stride,
                                                .c = g.c.data,
                                                .ldc = g.c.row_stride,
                                                .options = g.options});
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
