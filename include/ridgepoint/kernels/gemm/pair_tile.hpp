// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include <array>
#include <cstdint>
#include <utility>

#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/kernels/gemm/pair_shape.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

/// \file
/// Register tiles of vdpbf16ps (AVX512-BF16), which multiplies pairs: a lane of f32 takes two products of bfloat16 of
/// adjacent depth, rounded to the nearest even after each; denormals count as 0 and become 0, whatever MXCSR says.
///
/// Compiled for AVX512-BF16 in translation units without it, and called only on CPUs with it. So the code uses only
/// intrinsics, and loops instead of lambdas, which would not inherit the target.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// One tile: sums[rows×cols] ← or += A·B.
struct pair_run {
  index_t depth = 0;
  const bfloat16* a = nullptr;  // pair p of row i at a + i·a_row + p·a_step, adjacent
  index_t a_row = 0, a_step = 0;
  const bfloat16* b = nullptr;    // panel: pair p of column j at b + 2·(p·cols + j), on a boundary; odd depth padded
  index_t b_row = 0, b_cols = 0;  // rows: element (p, j) at b + p·b_row + j, j < b_cols
  float* sums = nullptr;          // row i at sums + i·cols
  bool continues = false;         // whether sums hold the sums of the preceding depth
};

/// sum += one pair of each row of A · one pair of each column of B, the second row of B at `second`.
template <pair_source Source, int Rows, int Vectors>
__attribute__((target("avx512f,avx512bw,avx512bf16"), always_inline)) inline void add_pair(
    __m512 (&sum)[Rows][Vectors], const bfloat16* a, index_t a_row, const bfloat16* b, const bfloat16* second,
    std::uint32_t columns) noexcept {
  constexpr int half = Rows > 7 ? (Rows + 1) / 2 : Rows;  // two pointers to A: offsets of 14 rows do not fit registers
  const bfloat16* const lower = a + half * a_row;
  __m512bh pair[Vectors];
  if constexpr (Source == pair_source::rows) {
    const __m512i x = _mm512_maskz_loadu_epi16(columns, b), y = _mm512_maskz_loadu_epi16(columns, second);
    pair[0] = reinterpret_cast<__m512bh>(_mm512_unpacklo_epi16(x, y));
    pair[1] = reinterpret_cast<__m512bh>(_mm512_unpackhi_epi16(x, y));
  } else {
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Vectors; ++j)
      pair[j] = reinterpret_cast<__m512bh>(_mm512_load_si512(b + j * 2 * pair_tile::lanes));
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Rows; ++i) {
    int both = 0;
    __builtin_memcpy(&both, i < half ? a + i * a_row : lower + (i - half) * a_row, sizeof both);
    const auto ai = reinterpret_cast<__m512bh>(_mm512_set1_epi32(both));
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Vectors; ++j) sum[i][j] = _mm512_dpbf16_ps(sum[i][j], ai, pair[j]);
  }
}

/// One register tile: Rows of A, Vectors·16 columns of B. With few rows the depth is summed in interleaved slices;
/// their number depends only on the rows: both sources of B give the same bits.
/// Work: 2·Rows·16·Vectors·depth FLOP, an odd depth rounded up. Reads no element beyond the depth, or beyond b_cols.
template <pair_source Source, int Rows, int Vectors>
__attribute__((target("avx512f,avx512bw,avx512bf16"), noinline)) void pair_gemm_tile(const pair_run& r) noexcept {
  constexpr int cols = pair_tile::cols, lanes = pair_tile::lanes, slices = Rows > 7 ? 1 : Rows > 3 ? 2 : 4;
  constexpr bool fetches = Source == pair_source::rows && Rows > 3;  // distant lines, which no prefetcher follows
  [[maybe_unused]] constexpr index_t ahead = 24;
  const index_t pairs = r.depth / 2, a_row = r.a_row, a_step = r.a_step,
                b_row = Source == pair_source::rows ? r.b_row : 0,
                b_step = Source == pair_source::rows ? 2 * r.b_row : 2 * cols;
  const auto columns = static_cast<std::uint32_t>((std::uint64_t{1} << r.b_cols) - 1);
  const bfloat16 *a = r.a, *b = r.b;
  __m512 sum[slices][Rows][Vectors];
  RIDGEPOINT_UNROLL
  for (int s = 0; s < slices; ++s) {
    RIDGEPOINT_UNROLL
    for (int i = 0; i < Rows; ++i) {
      RIDGEPOINT_UNROLL
      for (int j = 0; j < Vectors; ++j) sum[s][i][j] = _mm512_setzero_ps();
    }
  }
  index_t p = 0;
  for (; p + slices <= pairs; p += slices) {
    RIDGEPOINT_UNROLL
    for (int s = 0; s < slices; ++s, a += a_step, b += b_step) {
      if constexpr (fetches) {
        __builtin_prefetch(b + ahead * b_row);
        __builtin_prefetch(b + ahead * b_row + b_row);
      }
      add_pair<Source>(sum[s], a, a_row, b, b + b_row, columns);
    }
  }
  if constexpr (slices > 1)
    for (; p < pairs; ++p, a += a_step, b += b_step) add_pair<Source>(sum[0], a, a_row, b, b + b_row, columns);
  if (r.depth % 2 != 0) {  // paired with a row of zeros
    const bfloat16 zeros[cols] = {};
    bfloat16 last[2 * Rows] = {};
    for (int i = 0; i < Rows; ++i) last[2 * i] = a[i * a_row];
    add_pair<Source>(sum[0], last, 2, b, zeros, columns);
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < Rows; ++i) {
    __m512 total[Vectors];
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Vectors; ++j) {
      total[j] = sum[0][i][j];
      RIDGEPOINT_UNROLL
      for (int s = 1; s < slices; ++s) total[j] = _mm512_add_ps(total[j], sum[s][i][j]);
    }
    if constexpr (Source == pair_source::rows) {  // unpacked within 128 bits: columns 0 … 3, 8 … 11, and so on
      const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
      const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
      const __m512 low = _mm512_permutex2var_ps(total[0], first, total[1]);
      total[1] = _mm512_permutex2var_ps(total[0], second, total[1]);
      total[0] = low;
    }
    RIDGEPOINT_UNROLL
    for (int j = 0; j < Vectors; ++j) {
      float* const to = r.sums + i * cols + j * lanes;
      if (r.continues) total[j] = _mm512_add_ps(total[j], _mm512_loadu_ps(to));
      _mm512_storeu_ps(to, total[j]);
    }
  }
}

/// Runs the tile of 1 … 14 rows and the given registers per row: 1 or 2 from a panel, 2 from rows.
/// Requires: a CPU with AVX512-BF16.
template <pair_source Source>
void run_pairs(index_t rows, index_t vectors, const pair_run& r) noexcept {
  using function = void (*)(const pair_run&) noexcept;
  static constexpr auto tiles = []<int... Index>(std::integer_sequence<int, Index...>) {
    constexpr int narrow = Source == pair_source::panel ? 1 : 2;
    return std::array<function, 2 * sizeof...(Index)>{&pair_gemm_tile<Source, Index + 1, narrow>...,
                                                      &pair_gemm_tile<Source, Index + 1, 2>...};
  }
  (std::make_integer_sequence<int, pair_tile::rows>{});
  tiles[static_cast<std::size_t>((vectors - 1) * pair_tile::rows + rows - 1)](r);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
