// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/with_constant.hpp>
#include <ridgepoint/kernels/gemm/plan.hpp>
#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/native_unit.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/simd/batch.hpp>

/// \file
/// GEMM's microkernel: register tiles, and runs of them (plan.hpp).
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

/// Rows of a tile's upper half: all rows of a tile of up to 7.
[[nodiscard]] constexpr int upper_rows(int mr) noexcept { return mr > 7 ? (mr + 1) / 2 : mr; }

/// Maximum number of slices that a tile can sum the depth in.
[[nodiscard]] constexpr int most_slices(int mr, int nv) noexcept {
  return nv > 2 || mr * nv >= 7 ? 1 : mr * nv >= 4 ? 2 : 4;
}

namespace detail {
/// Copies the first and the last Bytes bytes of each row, which may overlap.
template <int Bytes, class T>
RIDGEPOINT_INLINE void copy_ends(const T* vectors, int rows, index_t columns, T* c, index_t ldc) noexcept {
  const index_t end = columns - Bytes / static_cast<int>(sizeof(T));
  for (; rows > 0; --rows, vectors += simd::lanes<T>, c += ldc) {
    __builtin_memcpy(c, vectors, Bytes);
    __builtin_memcpy(c + end, vectors + end, Bytes);
  }
}
}  // namespace detail

/// c ← products + β·c in the first columns of one vector per row, by copying.
template <class T>
RIDGEPOINT_NOINLINE void finish_narrow(T* products, int rows, const tile_run<T>& t, T* c) noexcept {
  const T beta = t.epilogue.beta;
  const index_t columns = t.last, ldc = t.ldc, bytes = columns * static_cast<index_t>(sizeof(T));
  if (!exactly(beta, T(0))) {
    for (int i = 0; i < rows; ++i) {
      T* const row = products + i * simd::lanes<T>;
      simd::store(row, simd::fma(simd::batch<T>(beta), simd::load_partial(c + i * ldc, columns), simd::load(row)));
    }
  }
  if (bytes >= 32) detail::copy_ends<32>(products, rows, columns, c, ldc);
  else if (bytes >= 16) detail::copy_ends<16>(products, rows, columns, c, ldc);
  else if (bytes >= 8) detail::copy_ends<8>(products, rows, columns, c, ldc);
  else detail::copy_ends<4>(products, rows, columns, c, ldc);
}

/// c ← f(products + β·c + bias) for a tile of mr rows and nv vectors per row, passed in memory as `products`: the cases
/// too rare to be compiled into every register tile.
template <class T>
RIDGEPOINT_NOINLINE void finish_tile(const T* products, int mr, int nv, const tile_run<T>& t, const T* bias,
                                     T* c) noexcept {
  using vec = simd::batch<T>;
  constexpr index_t lanes = simd::lanes<T>;
  const index_t last_at = t.last_at, last = t.last;
  const tile_epilogue<T>& e = t.epilogue;
  const vec beta(e.beta), zero(T(0));
  vec row[most_vectors];  // all of a row is read before any of it is written
  for (int i = 0; i < mr; ++i, c += t.ldc) {
    for (int j = 0; j < nv; ++j, products += lanes) {
      const index_t at = j == nv - 1 ? last_at : j * lanes;
      const auto load = [&](const T* from) {
        return j == nv - 1 && last < lanes ? simd::load_partial(from + at, last) : simd::load(from + at);
      };
      vec x = simd::load(products);
      if (bias != nullptr) x = x + load(bias);
      if (!exactly(e.beta, T(0))) x = simd::fma(beta, load(c), x);
      row[j] = e.relu ? (simd::max)(x, zero) : x;
    }
    for (int j = 0; j < nv - 1; ++j) simd::store(c + j * lanes, row[j]);
    if (last < lanes) simd::store_partial(c + last_at, row[nv - 1], last);
    else simd::store(c + last_at, row[nv - 1]);
  }
}

/// Run of register tiles of GEMM, each C[mr×nr] ← f(α·A[mr×k]·B[k×nr] + β·C + bias), nr = Nv·lanes.
///
/// Each step broadcasts mr values of A and loads Nv vectors of B for mr·Nv FMAs; two FMA pipes of latency four need
/// eight of them in flight. A smaller tile can sum the depth in interleaved slices, added at the end. The operand used
/// more often is held in registers: B, or A if Nv > mr.
/// The last vector starts at column last_at: a C of 19 columns and lanes of 8 takes three vectors at 0, 8 and 11; the
/// overlap is computed twice, to the same bits, instead of masked.
/// Options of a run are tested at run time outside the loop over the depth, so each tile is compiled once.
/// Packed: A has the packed form where that differs (replicates_a).
/// Work: 2·tiles·mr·nr·k FLOP. Requires: C distinct from A and B.
template <class T, int Mr, int Nv, bool Packed>
RIDGEPOINT_NOINLINE void gemm_tile(const tile_run<T>& t, const T* a_first, const T* b_first, T* c) noexcept {
  using vec = simd::batch<T>;
  constexpr int lanes = simd::lanes<T>, most = most_slices(Mr, Nv);
  constexpr bool copies = Nv == tile_vectors && 2 * Mr > tile_rows(native_unit);
  constexpr bool fetches = Nv == widest_tile(native_unit, Mr) && Mr <= tile_rows(native_unit) && most == 1;
  static_assert(tile_fits(native_unit, Mr, Nv, most), "register tile spills: shrink Mr, Nv or its slices");

  // Fields are copied to locals: a store through a T* might alias them and force a reload in each step.
  const index_t tiles = t.tiles, k = t.k, a_row = t.a_row, a_step = t.a_step, b_step = t.b_step, ldc = t.ldc,
                last_at = Nv == 1 ? 0 : t.last_at;
  [[maybe_unused]] const index_t fetch_b = t.fetch_b, fetch_a = t.fetch_a;
  [[maybe_unused]] const int slices = t.slices;
  constexpr int half = upper_rows(Mr);  // two pointers to A: offsets of 14 rows would not fit registers
  const index_t lower = half * a_row + t.segments.gap, segments = t.segments.count;
  [[maybe_unused]] const index_t columns_of_b = t.narrow_b ? t.last : lanes;
  const T* bias = t.epilogue.bias;
  const index_t bias_tile = bias != nullptr && t.b_tile != 0 ? t.c_tile : 0;  // along the columns of C
  const bool direct = t.exit == tile_exit::direct;
  T products[Mr * Nv * lanes];

  for (index_t tile = 0; tile < tiles;
       ++tile, a_first += t.a_tile, b_first += t.b_tile, c += t.c_tile, bias += bias_tile) {
    if (t.fetches_c && !(fetches && t.epilogue.streams)) {  // at small depth a prefetch of this C would be late
      const T* next_c = tile + 1 < tiles ? c + t.c_tile : t.c_after;
      if (next_c != nullptr) {
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Mr; ++i, next_c = simd::next_line(next_c, ldc)) {
          RIDGEPOINT_UNROLL
          for (index_t j = 0; j < Nv * lanes; j += line_elements<T>) __builtin_prefetch(next_c + j, 1);
        }
      }
    }
    const auto column = [&](int j) RIDGEPOINT_INLINE_LAMBDA { return j == Nv - 1 ? last_at : index_t{j} * lanes; };
    const auto in_part = [](int j) RIDGEPOINT_INLINE_LAMBDA { return stores_parts(native_unit) && j == Nv - 1; };
    vec acc[most][Mr][Nv];
    RIDGEPOINT_UNROLL
    for (int s = 0; s < most; ++s) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) acc[s][i][j] = vec(T(0));
      }
    }

    const T *a = a_first, *a_lower = a_first + lower, *b = b_first;
    index_t p = 0;
    const auto value_of_a = [&](int i) RIDGEPOINT_INLINE_LAMBDA {  // one value in every lane
      const T* const from = i < half ? a + i * a_row : a_lower + (i - half) * a_row;
      if constexpr (replicates_a<T>(native_unit) && Packed) return simd::load(from);
      else return vec(*from);
    };
    const auto step = [&](vec(&sum)[Mr][Nv], auto load) RIDGEPOINT_INLINE_LAMBDA {  // sum += a_p · b_p
      if constexpr (Mr < Nv) {
        vec ap[Mr];
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          vec ai = value_of_a(i);
          simd::hold(ai);
          ap[i] = ai;
        }
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) {
          vec bj = load(b + column(j));
          if constexpr (Mr > 1) simd::hold(bj);
          RIDGEPOINT_UNROLL
          for (int i = 0; i < Mr; ++i) sum[i][j] = simd::fma(ap[i], bj, sum[i][j]);
        }
      } else {
        vec bp[Nv];
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) {
          vec bj = load(b + column(j));
          simd::hold(bj);
          bp[j] = bj;
        }
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Mr; ++i) {
          const vec ai = value_of_a(i);
          RIDGEPOINT_UNROLL
          for (int j = 0; j < Nv; ++j) sum[i][j] = simd::fma(ai, bp[j], sum[i][j]);
        }
      }
      a += a_step;
      a_lower += a_step;
      b += b_step;
    };
    const auto sliced_steps = [&](auto load) RIDGEPOINT_INLINE_LAMBDA {
      if constexpr (most > 2) {
        if (slices == 4)
          for (; p + 4 <= k; p += 4) step(acc[0], load), step(acc[1], load), step(acc[2], load), step(acc[3], load);
      }
      if constexpr (most > 1) {
        if (slices == 2)
          for (; p + 2 <= k; p += 2) step(acc[0], load), step(acc[1], load);
      }
    };
    const auto all_steps = [&](auto load) RIDGEPOINT_INLINE_LAMBDA {
      sliced_steps(load);
      if constexpr (copies) {
        if (t.b_copy != nullptr) {
          T* copy = t.b_copy + tile * k * (Nv * lanes);
          const auto and_copy = [&](const T* from) RIDGEPOINT_INLINE_LAMBDA {
            const vec value = load(from);
            simd::store(copy, value);
            copy += lanes;
            return value;
          };
          for (; p < k; ++p) {
            RIDGEPOINT_UNROLL
            for (int j = 0; j < Nv * lanes; j += line_elements<T>) __builtin_prefetch(b + fetch_b + j);
            step(acc[0], and_copy);
          }
        }
      }
      if constexpr (fetches) {
        if (t.a_after != nullptr && (t.a_tile != 0 || tile + 1 == tiles)) {
          for (const T* lines = t.a_after + tile * t.a_tile; p + line_elements<T> <= k; lines += line_elements<T>) {
            const T* line = lines;  // of one row after another
            RIDGEPOINT_ROLLED
            for (int i = 0; i < line_elements<T>; ++i, ++p, line += a_row) {
              int row = i;
              asm("" : "+r"(row));  // else GCC 14 splits the loop at Mr and unrolls a part of two steps, which spills
              if (line_elements<T> - Mr <= 2 || row < Mr) {
                RIDGEPOINT_UNROLL
                for (int more = 0; more < Mr; more += line_elements<T>) __builtin_prefetch(line + more * a_row);
              }
              step(acc[0], load);
            }
          }
        } else if (fetch_b != 0) {
          for (; p < k; ++p) {
            RIDGEPOINT_UNROLL
            for (int j = 0; j < Nv * lanes; j += line_elements<T>) __builtin_prefetch(b + fetch_b + j);
            if constexpr (simd::native::registers >= 32) {
              if (fetch_a != 0) {  // the ends of a column; loads, not FMAs, would bound a step with two more
                __builtin_prefetch(a + fetch_a);
                __builtin_prefetch(a + fetch_a + (Mr - 1));
              }
            }
            step(acc[0], load);
          }
        }
      }
      RIDGEPOINT_UNROLL_DEPTH for (; p < k; ++p) step(acc[0], load);
    };
    const auto whole = [](const T* from) RIDGEPOINT_INLINE_LAMBDA { return simd::load(from); };
    constexpr bool one_vector = Nv == 1 && lanes > 1;
    constexpr bool masks_are_free = simd::native::width_bytes > 16;  // a mask is free next to so many loads
    for (index_t segment = 0;;) {
      if constexpr (one_vector) {
        if constexpr (masks_are_free) {
          all_steps([&](const T* from) RIDGEPOINT_INLINE_LAMBDA { return simd::load_partial(from, columns_of_b); });
        } else if (columns_of_b < lanes) {  // one loop per count: branches between loads would spill sums
          with_constant<1, lanes - 1>(static_cast<int>(columns_of_b), [&](auto columns) RIDGEPOINT_INLINE_LAMBDA {
            const auto some = [=](const T* from) RIDGEPOINT_INLINE_LAMBDA { return simd::load_partial(from, columns); };
            sliced_steps(some);
            for (; p < k; ++p) step(acc[0], some);
          });
        } else {
          all_steps(whole);
        }
      } else {
        all_steps(whole);
      }
      if (++segment == segments) break;
      p = 0;
      const index_t offset = t.segments.offsets[segment - 1];
      if (t.segments.of_b) b = b_first + offset;
      else a = a_first + offset;
      a_lower = a + lower;
    }
    const auto add = [&](const vec(&slice)[Mr][Nv]) RIDGEPOINT_INLINE_LAMBDA {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) acc[0][i][j] = acc[0][i][j] + slice[i][j];
      }
    };
    if constexpr (most > 1) {
      if (slices > 1) add(acc[1]);
    }
    if constexpr (most > 2) {
      if (slices > 2) add(acc[2]), add(acc[3]);
    }

    if (!exactly(t.epilogue.alpha, T(1))) {
      const vec alpha(t.epilogue.alpha);
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) acc[0][i][j] = alpha * acc[0][i][j];
      }
    }
    [[maybe_unused]] index_t columns = t.last;  // of C
    if (direct && bias != nullptr) {
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Nv; ++j) {
        vec bj;
        if (in_part(j)) bj = simd::load_partial(bias + column(j), columns);
        else bj = simd::load(bias + column(j));
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Mr; ++i) acc[0][i][j] = acc[0][i][j] + bj;
      }
    }
    T* row = c;
    if (direct && !exactly(t.epilogue.beta, T(0))) {  // all is read before any of it is written
      const vec beta(t.epilogue.beta);
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i, row = simd::next_line(row, ldc)) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) {
          if (in_part(j)) acc[0][i][j] = simd::fma(beta, simd::load_partial(row + column(j), columns), acc[0][i][j]);
          else acc[0][i][j] = simd::fma(beta, simd::load(row + column(j)), acc[0][i][j]);
        }
      }
      row = c;
    }
    if (direct && t.epilogue.relu) {
      RIDGEPOINT_UNROLL
      for (int i = 0; i < Mr; ++i) {
        RIDGEPOINT_UNROLL
        for (int j = 0; j < Nv; ++j) acc[0][i][j] = (simd::max)(acc[0][i][j], vec(T(0)));
      }
    }
    if constexpr (fetches) {
      if (t.epilogue.streams) {
        RIDGEPOINT_UNROLL
        for (int i = 0; i < Mr; ++i, row = simd::next_line(row, ldc)) {
          RIDGEPOINT_UNROLL
          for (int j = 0; j < Nv; ++j) simd::stream(row + column(j), acc[0][i][j]);
        }
        continue;
      }
    }
    index_t ld = ldc, last_column = last_at;
    if (!direct) row = products, ld = Nv * lanes, last_column = (Nv - 1) * lanes, columns = lanes;
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Mr; ++i, row = simd::next_line(row, ld)) {
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Nv; ++j) {
        T* const at = row + (j == Nv - 1 ? last_column : j * lanes);
        if (in_part(j)) simd::store_partial(at, acc[0][i][j], columns);
        else simd::store(at, acc[0][i][j]);
      }
    }
    if (direct) continue;
    if constexpr (Nv == 1 && !stores_parts(native_unit)) {
      if (t.exit == tile_exit::narrow) {
        finish_narrow(products, Mr, t, c);
        continue;
      }
    }
    finish_tile(products, Mr, Nv, t, bias, c);
  }
}

#pragma GCC diagnostic pop

/// gemm_tile for every height of Nv vectors, so that no row is computed twice or discarded; nullptr where a tile does
/// not fit the registers.
template <class T, int Nv, bool Packed>
inline constexpr auto gemm_tiles = []<int... Row>(std::integer_sequence<int, Row...>) {
  const auto tile = []<int Mr>() -> gemm_tile_function<T> {
    if constexpr (tile_fits(native_unit, Mr, Nv)) return &gemm_tile<T, Mr, Nv, Packed>;
    else return nullptr;
  };
  return std::array<gemm_tile_function<T>, sizeof...(Row)>{tile.template operator()<Row + 1>()...};
}
(std::make_integer_sequence<int, most_rows(native_unit)>{});

/// Returns the tile of mr rows of nv vectors that reads A and B in place.
template <class T>
[[nodiscard]] gemm_tile_function<T> tile_in_place(index_t mr, int nv) noexcept {
  static constexpr std::array all{&gemm_tiles<T, 1, false>, &gemm_tiles<T, 2, false>, &gemm_tiles<T, 3, false>,
                                  &gemm_tiles<T, 4, false>, &gemm_tiles<T, 5, false>, &gemm_tiles<T, 6, false>};
  static_assert(all.size() == most_vectors);
  return (*all[static_cast<std::size_t>(nv - 1)])[static_cast<std::size_t>(mr - 1)];
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
