// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/gemm/microkernel.hpp>
#include <ridgepoint/kernels/gemm/tiles.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Widest small_tile(), in vectors.
inline constexpr int widest_small = 4;

/// gemm_tile() for C ← A·B and no more, of a row-major A: a run of tiles, each C[mr×nr] ← A[mr×k]·B[k×nr], summed in
/// the same order to the same bits. Nothing else is looked at: that takes 10 ns, as long as a product of 8 a side.
///
/// Several steps in depth are taken together, row by row: a row's address is one addition for all of them, and an FMA's
/// operand in memory a register and a constant. With an index register beside it, it would be two instructions in the
/// core, and those of a tile of 12 rows of one vector would be more than it issues: 0.87 of the speed.
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
    const auto block = [&](auto steps, auto load) RIDGEPOINT_INLINE_LAMBDA {  // sum += a_p · b_p for so many p
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
    const auto others = [&](auto load) RIDGEPOINT_INLINE_LAMBDA {  // pairs first: they may be summed apart
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

/// Whether there is a small_tile() of mr rows of nv vectors that sums the depth in so many parts. Few rows are not
/// worth their compilation; several vectors pay only where 32 registers hold more of B beside them.
[[nodiscard]] constexpr bool is_small_tile(index_t mr, int nv, int slices) noexcept {
  const int rows = static_cast<int>(mr);
  const bool fits =
      tile_fits(native_unit, rows, nv, slices) && (nv == 1 || (simd::native::registers >= 32 && nv <= rows));
  return mr >= 4 && nv <= widest_small && fits && (slices == 1 || slices == most_slices(rows, nv));
}

/// small_tile() for a run of tiles of mr rows of nv vectors, in as many parts as gemm_tile() sums the depth in; nullptr
/// where there is more to do, or no such tile.
template <class T>
[[nodiscard]] gemm_tile_function<T> small_tile_for(const tile_run<T>& t, index_t mr, int nv) noexcept {
  constexpr int most = 2;  // parts of four rows and more
  static constexpr auto all = []<int... Index>(std::integer_sequence<int, Index...>) {
    const auto tile = []<int Mr, int Nv, int Slices>() -> gemm_tile_function<T> {
      if constexpr (is_small_tile(Mr, Nv, Slices)) return &small_tile<T, Mr, Nv, Slices>;
      else return nullptr;
    };
    return std::array{tile.template operator()<Index / (most * widest_small) + 1, Index / most % widest_small + 1,
                                               Index % most + 1>()...};
  }
  (std::make_integer_sequence<int, most_rows(native_unit) * widest_small * most>{});
  const bool product = exactly(t.epilogue.alpha, T(1)) && exactly(t.epilogue.beta, T(0));
  if (nv > widest_small || t.exit != tile_exit::direct || t.a_step != 1 || !product) return nullptr;
  const int slices = t.slices > 1 && most_slices(static_cast<int>(mr), nv) == t.slices ? t.slices : 1;
  if (slices > most) return nullptr;
  return all[static_cast<std::size_t>(((mr - 1) * widest_small + nv - 1) * most + slices - 1)];
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
