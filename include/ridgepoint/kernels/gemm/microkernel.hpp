// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// What happens to a register tile when it leaves the registers: c ← f(α·acc + β·c + bias).
template <class T>
struct tile_epilogue {
  T alpha = T(1), beta = T(0);
  const T* bias = nullptr;  // one value per column of the first tile, or none
  bool relu = false;
};

/// Where a run of register tiles finds its operands. Strides are in elements; A may be row-major, transposed or
/// packed: element (i, p) of a tile is a[i·a_row + p·a_step]. Tiles follow each other down the rows of C (a_tile,
/// c_tile lead to the next rows, b_tile is 0) or along its columns (b_tile, c_tile lead to the next panel, a_tile is
/// 0).
template <class T>
struct tile_operands {
  index_t tiles = 0, k = 0;
  const T* a = nullptr;
  index_t a_tile = 0, a_row = 0, a_step = 0;
  const T* b = nullptr;  // row p at b + p·b_step
  index_t b_tile = 0, b_step = 0;
  T* c = nullptr;
  index_t c_tile = 0, ldc = 0;
  const T* c_after = nullptr;  // where the tiles after this run write, fetched with the last one
  index_t last_at = 0;         // column of the last vector: (Nv − 1)·lanes, or less
  index_t last = 0;            // columns stored by the last vector: 1 … lanes
  index_t fetch_b = 0;         // elements ahead of b that a fetching tile asks for
};

/// What a tile does beside its arithmetic.
enum class tile_extra {
  none,
  raw_a,        // reads A where it is, on an instruction set whose packed A is another form (replicates_a)
  fetch_b,      // fetches B further on: rows of B read in place are too short for them too
  narrow,       // one vector of `last` < lanes columns: nothing beyond them is read
  bare,         // raw_a without bias, relu and fetching: what is left of a tile when everything around it counts
  bare_narrow,  // both
};

/// One value of A in every lane.
template <class T, tile_extra Extra>
RIDGEPOINT_INLINE simd::batch<T> value_of_a(const T* a) noexcept {
  constexpr bool packed = Extra == tile_extra::none;
  if constexpr (replicates_a<T> && packed) return simd::load(a);
  else return simd::batch<T>(*a);
}

/// c ← f(products + β·c + bias) for a tile of mr rows and nv vectors a row that left the registers as `products`: what
/// is too rare to be worth a place in every register tile.
template <class T>
RIDGEPOINT_NOINLINE void finish_tile(const T* products, int mr, int nv, index_t last_at, index_t last,
                                     const tile_epilogue<T>& e, T* c, index_t ldc) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  const vec beta(e.beta), zero(T(0));
  vec row[most_vectors];  // all of a row is read before any of it is written
  for (int i = 0; i < mr; ++i, c += ldc) {
    for (int j = 0; j < nv; ++j, products += lanes) {
      const index_t at = j == nv - 1 ? last_at : j * lanes;
      const auto load = [&](const T* from) {
        return j == nv - 1 && last < lanes ? simd::load_partial(from + at, last) : simd::load(from + at);
      };
      vec x = simd::load(products);
      if (e.bias != nullptr) x = x + load(e.bias);
      if (e.beta != T(0)) x = simd::fma(beta, load(c), x);
      row[j] = e.relu ? simd::max(x, zero) : x;
    }
    for (int j = 0; j < nv - 1; ++j) simd::store(c + j * lanes, row[j]);
    if (last < lanes) simd::store_partial(c + last_at, row[nv - 1], last);
    else simd::store(c + last_at, row[nv - 1]);
  }
}

/// A run of register tiles of GEMM, each C[mr×nr] ← f(α·A[mr×k]·B[k×nr] + β·C + bias), nr = Nv·lanes.
///
/// Each step broadcasts mr values of A and loads Nv vectors of B for mr·Nv FMAs; two FMA pipes of latency four need
/// eight of them in flight. A tile with fewer sums the depth in `Slices` interleaved parts, added at the end. What is
/// used more often is held in registers: B, or A where Nv > mr.
/// The last vector starts at column last_at: a C of 19 columns and lanes of 8 takes three vectors at 0, 8 and 11, the
/// overlap computed twice, to the same bits, instead of masked.
/// Work: 2·tiles·mr·nr·k FLOP. Requires: all columns of B readable (narrow: `last` of them); C distinct from A and B;
/// bare: no bias, no relu.
template <class T, int Mr, int Nv, tile_extra Extra, int Slices = 1>
RIDGEPOINT_NOINLINE void gemm_tile(const tile_operands<T>& t, const tile_epilogue<T>& e) noexcept {
  using vec = simd::batch<T>;
  constexpr int lanes = simd::lanes<T>;
  constexpr bool narrow = Extra == tile_extra::narrow || Extra == tile_extra::bare_narrow;
  constexpr bool bare = Extra == tile_extra::bare || Extra == tile_extra::bare_narrow;
  static_assert(tile_fits(Mr, Nv, Slices), "register tile spills: shrink Mr, Nv or Slices");
  static_assert(!narrow || Nv == 1, "a narrow tile is one vector");

  // Strides live in locals: a store through a T* might alias the operands' own fields and force their reload each step.
  const index_t tiles = t.tiles, k = t.k, a_tile = t.a_tile, a_row = t.a_row, a_step = t.a_step, b_tile = t.b_tile,
                b_step = t.b_step, c_tile = t.c_tile, ldc = t.ldc, last_at = t.last_at, last = t.last;
  [[maybe_unused]] const index_t fetch_b = t.fetch_b;
  constexpr int half = Mr > 7 ? (Mr + 1) / 2 : Mr;  // two pointers to A: offsets of 14 rows would not fit registers
  const T* a_first = t.a;
  const T* b_first = t.b;
  T* c = t.c;
  const T* const c_after = t.c_after;
  tile_epilogue<T> epilogue = e;
  const vec alpha(e.alpha), beta(e.beta);
  const bool scaled = e.alpha != T(1), reads_c = e.beta != T(0),
             plain = !e.relu && e.bias == nullptr && (narrow || last == lanes);
  const auto column = [&](int j) RIDGEPOINT_INLINE_LAMBDA { return j == Nv - 1 ? last_at : index_t{j} * lanes; };
  const auto load = [&](const T* row, int j) RIDGEPOINT_INLINE_LAMBDA {  // vector j of a row of B or C
    if constexpr (narrow) return simd::load_partial(row, last);
    else return simd::load(row + column(j));
  };

  for (index_t tile = 0; tile < tiles; ++tile, a_first += a_tile, b_first += b_tile, c += c_tile) {
    const T* next_c = tile + 1 < tiles ? c + c_tile : c_after;
    if (!narrow && !bare && next_c != nullptr) {  // with little depth, fetching this tile's would be late
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i, next_c = simd::next_line(next_c, ldc)) {
        RIDGEPOINT_UNROLL
        for (index_t j = 0; j < Nv * lanes; j += line_elements<T>) __builtin_prefetch(next_c + j, 1);
      }
    }
    vec acc[Slices][Mr][Nv];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < Slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) acc[s][i][j] = vec(T(0));
      }
    }

    const T* a = a_first;
    const T* a_lower = a_first + half * a_row;
    const T* b = b_first;
    const auto row_of_a = [&](int i) RIDGEPOINT_INLINE_LAMBDA {
      return i < half ? a + i * a_row : a_lower + (i - half) * a_row;
    };
    const auto step = [&](vec(&sum)[Mr][Nv]) RIDGEPOINT_INLINE_LAMBDA {  // sum += a_p · b_p
      if constexpr (Mr < Nv) {
        vec ap[Mr];
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          vec ai = value_of_a<T, Extra>(row_of_a(i));
          simd::hold(ai);
          ap[i] = ai;
        }
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) {
          vec bj = load(b, j);
          if constexpr (Mr > 1) simd::hold(bj);
          RIDGEPOINT_UNROLL
          for (int i = 0; i < Mr; ++i) sum[i][j] = simd::fma(ap[i], bj, sum[i][j]);
        }
      } else {
        vec bp[Nv];
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) {
          vec bj = load(b, j);
          simd::hold(bj);
          bp[j] = bj;
        }
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          const vec ai = value_of_a<T, Extra>(row_of_a(i));
          RIDGEPOINT_UNROLL
          for (int j = 0; j < Nv; ++j) sum[i][j] = simd::fma(ai, bp[j], sum[i][j]);
        }
      }
      if constexpr (Extra == tile_extra::fetch_b) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv * lanes; j += line_elements<T>) __builtin_prefetch(b + fetch_b + j);
      }
      a += a_step;
      a_lower += a_step;
      b += b_step;
    };
    index_t p = 0;
    if constexpr (Slices > 1)
      for (; p + Slices <= k; p += Slices) {
        RIDGEPOINT_UNROLL
        for (int s = 0; s < Slices; ++s) step(acc[s]);
      }
    RIDGEPOINT_UNROLL_DEPTH for (; p < k; ++p) step(acc[0]);
    RIDGEPOINT_UNROLL
    for (int s = 1; s < Slices; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) acc[0][i][j] = acc[0][i][j] + acc[s][i][j];
      }
    }

    if (scaled) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) acc[0][i][j] = alpha * acc[0][i][j];
      }
    }
    if (bare || plain) {
      T* row = c;
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr;
           ++i, row = simd::next_line(row, ldc)) {  // all of a row is read before any of it is written
        if (reads_c) {
          RIDGEPOINT_UNROLL
          for (int j = 0; j < Nv; ++j) acc[0][i][j] = simd::fma(beta, load(row, j), acc[0][i][j]);
        }
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) {
          if constexpr (narrow) simd::store_partial(row, acc[0][i][j], last);
          else simd::store(row + column(j), acc[0][i][j]);
        }
      }
      continue;
    }
    T products[Mr * Nv * lanes];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Mr; ++i) {
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Nv; ++j) simd::store(products + (i * Nv + j) * lanes, acc[0][i][j]);
    }
    finish_tile(products, Mr, Nv, last_at, last, epilogue, c, ldc);
    if (epilogue.bias != nullptr && b_tile != 0) epilogue.bias += c_tile;  // along the columns of C
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
