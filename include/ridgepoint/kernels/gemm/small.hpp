// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/gemm/folded.hpp>
#include <ridgepoint/kernels/gemm/in_place.hpp>
#include <ridgepoint/kernels/gemm/microkernel.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/simd/batch.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Maximum width of small_tile(), in vectors.
inline constexpr int widest_small = 4;

/// gemm_tile() restricted to C ← A·B with a row-major A: a run of tiles, each C[mr×nr] ← A[mr×k]·B[k×nr], summed in
/// the same order to the same bits. No other field is read: that takes 10 ns, as long as a product of 8 a side.
///
/// Processes several steps in depth together, row by row: one addition gives a row's address for all of them, and the
/// memory operand of an FMA is a register and a constant. An additional index register would make it two instructions
/// in the core, and a tile of 12 rows of one vector would exceed the issue width: 0.87 of the speed.
/// Work: 2·tiles·mr·nr·k FLOP. Requires: C distinct from A and B; last = lanes, or one vector where stores_parts.
template <class T, int Mr, int Nv, int Slices>
RIDGEPOINT_NOINLINE void small_tile(const tile_run<T>& t, const T* a_first, const T* b_first, T* c) noexcept {
  using vec = simd::batch<T>;
  constexpr int lanes = simd::lanes<T>;
  constexpr bool by_parts = Nv == 1 && stores_parts(native_unit);
  const index_t a_row = t.a_row, b_step = t.b_step, ldc = t.ldc, last_at = t.last_at, columns = t.last;
  index_t tiles = t.tiles;
  do {
    vec sum[Slices][Mr][Nv];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < Slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) sum[s][i][j] = vec(T(0));
      }
    }
    const T *a = a_first, *b = b_first;
    const T* const end = a_first + t.k;
    const auto block = [&](auto steps, auto load) RIDGEPOINT_INLINE_LAMBDA {  // sum += a_p · b_p for `steps` p
      constexpr int count = steps;
      vec bp[count][Nv];
      RIDGEPOINT_UNROLL
      for (int p = 0; p < count; ++p) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) {
          vec bj = load(b + (j == Nv - 1 && Nv > 1 ? last_at : j * lanes));
          simd::hold(bj);
          bp[p][j] = bj;
        }
        b = simd::next_line(b, b_step);
      }
      const T* row = a;
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        if (i > 0) row = simd::next_line(row, a_row);
        RIDGEPOINT_UNROLL
        for (int p = 0; p < count; ++p) {
          const vec ai(row[p]);
          RIDGEPOINT_UNROLL
          for (int j = 0; j < Nv; ++j) sum[p % Slices][i][j] = simd::fma(ai, bp[p][j], sum[p % Slices][i][j]);
        }
      }
      a = simd::next_line(a, count);
    };
    constexpr int room = (simd::native::registers - Slices * Mr * Nv - 1) / Nv;
    constexpr int ahead = (std::max)(Nv == 1 && room >= 4 ? 4 : room >= 2 ? 2 : 1, Slices);
    constexpr std::integral_constant<int, ahead> some{};
    const auto part = [=](const T* from) RIDGEPOINT_INLINE_LAMBDA { return simd::load_partial(from, columns); };
    const auto whole = [](const T* from) RIDGEPOINT_INLINE_LAMBDA { return simd::load(from); };
    const auto others = [&](auto load) RIDGEPOINT_INLINE_LAMBDA {  // pairs first: they may use separate sums
      if constexpr (ahead > 2 && Slices < 4)
        while (a + 2 <= end) block(std::integral_constant<int, 2>{}, load);
      if constexpr (ahead > 1)
        while (a < end) block(std::integral_constant<int, 1>{}, load);
    };
    if constexpr (by_parts) {
      while (a + ahead <= a_first + t.whole_b) block(some, whole);
      if constexpr (ahead == 1 || Slices == 4)
        while (a + ahead <= end) block(some, part);
      others(part);
    } else {
      while (a + ahead <= end) block(some, whole);
      others(whole);
    }
    const auto add = [&](const vec(&slice)[Mr][Nv]) RIDGEPOINT_INLINE_LAMBDA {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) sum[0][i][j] = sum[0][i][j] + slice[i][j];
      }
    };
    if constexpr (Slices > 1) add(sum[1]);
    if constexpr (Slices > 2) add(sum[2]), add(sum[3]);
    T* row = c;
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Mr; ++i, row = simd::next_line(row, ldc)) {
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Nv; ++j) {
        if constexpr (by_parts) simd::store_partial(row, sum[0][i][j], columns);
        else simd::store(row + (j == Nv - 1 && Nv > 1 ? last_at : j * lanes), sum[0][i][j]);
      }
    }
    a_first += t.a_tile, b_first += t.b_tile, c += t.c_tile;
  } while (--tiles > 0);
}

/// Whether a small_tile() of mr rows of nv vectors with this many slices exists. Few rows are worth compiling, and
/// several vectors pay, only if 32 registers hold more of B next to the sums.
[[nodiscard]] constexpr bool is_small_tile(index_t mr, int nv, int slices) noexcept {
  const int rows = static_cast<int>(mr);
  const bool many = simd::native::registers >= 32,
             fits = tile_fits(native_unit, rows, nv, slices) && (nv == 1 || (many && (nv <= rows || rows < 4)));
  return mr >= (many ? 2 : 4) && nv <= widest_small && fits && (slices == 1 || slices == most_slices(rows, nv));
}

/// Returns the small_tile() of mr rows of nv vectors, with as many slices as gemm_tile() uses for `slices`; nullptr if
/// it is missing.
template <class T>
[[nodiscard]] gemm_tile_function<T> small_tile_of(index_t mr, int nv, int slices) noexcept {
  constexpr int most = simd::native::registers >= 32 ? 4 : 2;  // slices: two for four rows or more
  static constexpr auto all = []<int... Index>(std::integer_sequence<int, Index...>) {
    const auto tile = []<int Mr, int Nv, int Slices>() -> gemm_tile_function<T> {
      if constexpr (is_small_tile(Mr, Nv, Slices)) return &small_tile<T, Mr, Nv, Slices>;
      else return nullptr;
    };
    return std::array{tile.template operator()<Index / (most * widest_small) + 1, Index / most % widest_small + 1,
                                               Index % most + 1>()...};
  }
  (std::make_integer_sequence<int, most_rows(native_unit) * widest_small * most>{});
  const int used = slices > 1 && most_slices(static_cast<int>(mr), nv) == slices ? slices : 1;
  if (nv > widest_small || used > most) return nullptr;
  return all[static_cast<std::size_t>(((mr - 1) * widest_small + nv - 1) * most + used - 1)];
}

/// Returns the small_tile() for a run of tiles; nullptr if the run needs more than C ← A·B, or if the tile is missing.
template <class T>
[[nodiscard]] gemm_tile_function<T> small_tile_for(const tile_run<T>& t, index_t mr, int nv) noexcept {
  const bool product = exactly(t.epilogue.alpha, T(1)) && exactly(t.epilogue.beta, T(0));
  if (t.exit != tile_exit::direct || t.a_step != 1 || !product) return nullptr;
  return small_tile_of<T>(mr, nv, t.slices);
}

/// Maximum multiplications of a product that fits L1 and L2, so that nothing is prefetched.
inline constexpr index_t most_small_product = 64 * 64 * 64;

/// Returns the rows and vectors of a small product's tiles: those with the least predicted time if they sum the depth
/// in as many parts as the plan's, else the plan's.
template <class T>
[[nodiscard]] std::pair<index_t, int> small_tile(const gemm_plan& plan, index_t m, index_t n, index_t k) noexcept {
  const index_t vectors = ceil_div(n, simd::lanes<T>);
  const int nv =
      (std::max)(cost::panel_of_small(native_unit, m, vectors, k), vectors > 1 ? 2 : 1);  // as column_panels requires
  const tile_split split = tile_split::of(m, tallest_tile(native_unit, nv));
  const bool same = tile_slices(split.rows, nv, k) == plan.slices;
  return same ? std::pair{index_t{tallest_tile(native_unit, nv)}, nv} : std::pair{plan.mr, plan.nv};
}

/// Number of depth steps, in multiples of four, at which a full vector stays inside a B of fewer columns: the surplus
/// lanes read the rows below.
template <class T>
[[nodiscard]] constexpr index_t whole_steps(index_t k, index_t ldb) noexcept {
  if (ldb <= 0) return 0;  // rows repeat or descend: no rows below
  return std::max<index_t>(0, k - ceil_div(simd::lanes<T>, ldb)) / 4 * 4;
}

/// C ← A·B of one panel on small tiles, down the rows. Returns false, and does nothing, if one of the tiles is missing.
/// Requires: a row-major A, B and C of adjacent columns, up to plan.nv vectors of them.
template <class T>
[[nodiscard]] RIDGEPOINT_INLINE bool run_small_panel(const gemm_plan& plan, const gemm_args<T>& g) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  const index_t n = g.c.cols, k = g.a.cols, ldc = g.c.row_stride;
  const int nv = static_cast<int>(ceil_div(n, lanes));
  if (n < lanes && !stores_parts(native_unit)) return false;
  const tile_split split = tile_split::of(g.c.rows, plan.mr);
  const auto tile = [&](index_t mr) { return small_tile_of<T>(mr, nv, plan.slices); };
  if (tile(split.rows) == nullptr || (split.tall < split.tiles && tile(split.rows - 1) == nullptr)) return false;
  tile_run<T> t;
  t.k = k, t.a_row = g.a.row_stride, t.b_step = g.b.row_stride, t.ldc = ldc;
  t.last = (std::min)(n, lanes), t.last_at = n - t.last;
  t.whole_b = n < lanes ? whole_steps<T>(k, g.b.row_stride) : k;
  const auto run = [&](index_t i, index_t mr, index_t tiles) {
    t.tiles = tiles, t.a_tile = mr * t.a_row, t.c_tile = mr * ldc;
    tile(mr)(t, g.a.data + i * t.a_row, g.b.data, g.c.data + i * ldc);
  };
  run(0, split.rows, split.tall);  // a loop over split.runs() takes 1 to 2 ns longer
  if (split.tall < split.tiles) run(split.tall * split.rows, split.rows - 1, split.tiles - split.tall);
  return true;
}

/// Returns the runs of C(m×n) ← α·A(m×k)·B(k×n) + β·C; count is 0 if there would be too many, or the product is not
/// small. The depth is summed in as many parts as by `plan`, so both give the same bits.
/// Requires: B row-major, C of adjacent columns; no bias, no activation.
template <class T>
[[nodiscard]] small_product<T> prepare_small(const gemm_plan& plan, const gemm_args<T>& g) noexcept {
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, ldc = g.c.row_stride;
  small_product<T> made;
  if (!are_few(m, n, k, most_small_product)) return made;
  const auto [most_rows_of_tile, widest] = small_tile<T>(plan, m, n, k);
  const tile_split split = tile_split::of(m, most_rows_of_tile);
  std::size_t count = 0;
  const auto append = [&](index_t i, index_t mr, index_t tiles, index_t j, index_t panels, int nv, index_t last_at,
                          index_t last, index_t b_tile) {
    const bool along = b_tile != 0;
    if (count++ >= small_product<T>::most_runs) return;
    small_run<T>& run = made.runs[count - 1];
    run = {.a = i * g.a.row_stride,
           .b = j,
           .c = i * ldc + j,
           .of = {.tiles = along ? panels : tiles,
                  .k = k,
                  .a_tile = along ? 0 : mr * g.a.row_stride,
                  .a_row = g.a.row_stride,
                  .a_step = g.a.col_stride,
                  .b_tile = b_tile,
                  .b_step = g.b.row_stride,
                  .c_tile = along ? b_tile : mr * ldc,
                  .ldc = ldc,
                  .last_at = last_at,
                  .last = last,
                  .whole_b = last < simd::lanes<T> ? whole_steps<T>(k, g.b.row_stride) : k,
                  .epilogue = {.alpha = g.options.alpha, .beta = g.options.beta},
                  .slices = plan.slices,
                  .narrow_b = last < simd::lanes<T>}};
    run.of.leave(native_unit, nv);
    run.tile = small_tile_for(run.of, mr, nv);
    if (run.tile == nullptr) run.tile = tile_in_place<T>(mr, nv);
  };
  // One run along the rows of C per row of tiles, or one down the rows per panel: whichever needs fewer runs.
  for (const auto& [j, panels, nv, last_at, last] : column_panels(n, widest, simd::lanes<T>)) {
    const index_t width = nv * simd::lanes<T>;
    if (split.tiles < 2 * panels) {
      for (const auto [i, mr, one] : split.one_by_one()) append(i, mr, one, j, panels, nv, last_at, last, width);
    } else {
      for (index_t q = 0; q < panels; ++q)
        for (const auto [i, mr, tiles] : split.runs()) append(i, mr, tiles, j + q * width, 1, nv, last_at, last, 0);
    }
  }
  made.count = count <= small_product<T>::most_runs ? static_cast<int>(count) : 0;
  return made;
}

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
    folded_tile<T, E, rows, fixed_fold<T>(E.n, E.k)>::run(a + i * E.a_ld, b, c + i * E.c_ld, alpha, beta);
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
  } else if constexpr (fixed_fold<T>(N, E.k) > 1) {
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
  constexpr index_t folded = rest > 0 && fixed_fold<T>(rest, E.k) > 1 ? rest : 0;
  gemm_fixed_columns<T, E, 0, E.n - folded>(a, b, c, alpha, beta);
  gemm_fixed_columns<T, E, E.n - folded, folded>(a, b, c, alpha, beta);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
