// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include <immintrin.h>

#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/core/view.hpp>
#include <ridgepoint/kernels/gemm/bfloat16_kernels.hpp>
#include <ridgepoint/kernels/gemm/gemm_kernels.hpp>
#include <ridgepoint/kernels/map/activation.hpp>
#include <ridgepoint/kernels/map/convert.hpp>
#include <ridgepoint/kernels/native_unit.hpp>

/// \file
/// Products in pairs: a lane of f32 takes two products of bfloat16 of adjacent depth. vdpbf16ps (AVX512-BF16) does so
/// for a register, and rounds to the nearest even after each product. tdpbf16ps (AMX) does it for tiles of 16 rows, 16
/// columns and 16 pairs: it sums the first products of the pairs, and the second, then adds both. Denormals count as 0
/// and become 0, whatever MXCSR says.
///
/// Compiled for AVX512-BF16 and AMX in translation units without them, and called only on CPUs with them. So the code
/// uses only intrinsics, and loops instead of lambdas, which would not inherit the target.
///
/// The code that packs operands is compiled for AVX-512 in every translation unit.

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

namespace detail {

/// Mask of the first n of 32 bits.
[[nodiscard]] constexpr std::uint32_t first_bits_of_32(index_t n) noexcept {
  return static_cast<std::uint32_t>((std::uint64_t{1} << std::clamp<index_t>(n, 0, 32)) - 1);
}

/// rows(i, j) ← rows(j, i), words of 32 bits. Uses the zero-masking forms with a full mask: the plain ones warn about
/// an uninitialised value inside GCC 12's header.
__attribute__((target("avx512f,avx512bw"), always_inline)) inline void transpose_words(__m512i (&rows)[16]) noexcept {
  __m512i x[16];
  RIDGEPOINT_UNROLL
  for (int i = 0; i < 16; i += 2) {
    x[i] = _mm512_maskz_unpacklo_epi32(0xFFFF, rows[i], rows[i + 1]);
    x[i + 1] = _mm512_maskz_unpackhi_epi32(0xFFFF, rows[i], rows[i + 1]);
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < 16; i += 4) {  // rows[i + c]: column c of each quarter, four lines each
    rows[i] = _mm512_maskz_unpacklo_epi64(0xFF, x[i], x[i + 2]);
    rows[i + 1] = _mm512_maskz_unpackhi_epi64(0xFF, x[i], x[i + 2]);
    rows[i + 2] = _mm512_maskz_unpacklo_epi64(0xFF, x[i + 1], x[i + 3]);
    rows[i + 3] = _mm512_maskz_unpackhi_epi64(0xFF, x[i + 1], x[i + 3]);
  }
  RIDGEPOINT_UNROLL
  for (int c = 0; c < 4; ++c) {
    const __m512i even = _mm512_maskz_shuffle_i32x4(0xFFFF, rows[c], rows[c + 4], 0x88),
                  odd = _mm512_maskz_shuffle_i32x4(0xFFFF, rows[c], rows[c + 4], 0xDD),
                  even_below = _mm512_maskz_shuffle_i32x4(0xFFFF, rows[c + 8], rows[c + 12], 0x88),
                  odd_below = _mm512_maskz_shuffle_i32x4(0xFFFF, rows[c + 8], rows[c + 12], 0xDD);
    x[c] = _mm512_maskz_shuffle_i32x4(0xFFFF, even, even_below, 0x88);
    x[c + 8] = _mm512_maskz_shuffle_i32x4(0xFFFF, even, even_below, 0xDD);
    x[c + 4] = _mm512_maskz_shuffle_i32x4(0xFFFF, odd, odd_below, 0x88);
    x[c + 12] = _mm512_maskz_shuffle_i32x4(0xFFFF, odd, odd_below, 0xDD);
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < 16; ++i) rows[i] = x[i];
}

/// Packs lines contiguous along the depth: transposes squares of 16 lines and 16 pairs.
__attribute__((target("avx512f,avx512bw"))) inline void pack_long_lines(const matrix_view<const bfloat16>& v,
                                                                        index_t width, bfloat16* to) noexcept {
  const index_t depth = v.rows, pairs = ceil_div(depth, 2);
  for (index_t j = 0; j < width; j += 16) {
    const auto stored = static_cast<__mmask16>(first_bits_of_32(std::min<index_t>(16, width - j)));
    for (index_t p = 0; p < pairs; p += 16) {
      const std::uint32_t present = first_bits_of_32(depth - 2 * p);
      __m512i words[16];
      for (int l = 0; l < 16; ++l)
        words[l] = j + l < v.cols ? _mm512_maskz_loadu_epi16(present, v.data + (j + l) * v.col_stride + 2 * p)
                                  : _mm512_setzero_si512();
      transpose_words(words);
      const int count = static_cast<int>(std::min<index_t>(16, pairs - p));
      for (int q = 0; q < count; ++q) _mm512_mask_storeu_epi32(to + 2 * ((p + q) * width + j), stored, words[q]);
    }
  }
}

/// Packs lines adjacent to each other: interleaves two steps of the depth.
__attribute__((target("avx512f,avx512bw"))) inline void pack_steps(const matrix_view<const bfloat16>& v, index_t width,
                                                                   bfloat16* to) noexcept {
  alignas(64) static constexpr auto order = [] {
    struct {
      std::uint16_t of[64];
    } made{};
    for (unsigned i = 0; i < 64; ++i) made.of[i] = static_cast<std::uint16_t>(i / 2 + i % 2 * 32);
    return made;
  }();
  const __m512i low = _mm512_load_si512(order.of), high = _mm512_load_si512(order.of + 32);
  const std::uint32_t present = first_bits_of_32(v.cols);
  const auto first = static_cast<__mmask16>(first_bits_of_32(std::min<index_t>(16, width))),
             second = static_cast<__mmask16>(first_bits_of_32(width - 16));
  for (index_t p = 0; p < v.rows; p += 2, to += 2 * width) {
    const bfloat16* const from = v.data + p * v.row_stride;
    const __m512i x = _mm512_maskz_loadu_epi16(present, from),
                  y = _mm512_maskz_loadu_epi16(p + 1 < v.rows ? present : 0, from + v.row_stride);
    _mm512_mask_storeu_epi32(to, first, _mm512_permutex2var_epi16(x, low, y));
    if (second != 0) _mm512_mask_storeu_epi32(to + 32, second, _mm512_permutex2var_epi16(x, high, y));
  }
}

}  // namespace detail

/// to[p·width + j] ← the pair v(2p, j), v(2p + 1, j), for the v.cols lines of a panel `width` wide; 0 outside v, up to
/// a multiple of the unit's depth. A panel of B is a part of B, one of A a part of Aᵀ.
/// Requires: v.cols ≤ width ≤ 32; a CPU with AVX-512 F and BW.
inline void pack_pairs(pair_unit unit, const matrix_view<const bfloat16>& v, index_t width, bfloat16* to) noexcept {
  const index_t stored = round_up(v.rows, 2) * width;
  std::fill(to + stored, to + packed_pairs(unit, v.rows, width), bfloat16());
  if (v.col_stride == 1 || v.cols == 1) return detail::pack_steps(v, width, to);
  if (v.row_stride == 1) return detail::pack_long_lines(v, width, to);
  const index_t pairs = ceil_div(v.rows, 2);
  for (index_t p = 0; p < pairs; ++p) {
    for (index_t j = 0; j < width; ++j, to += 2) {
      const bool present = j < v.cols;
      to[0] = present ? v(2 * p, j) : bfloat16();
      to[1] = present && 2 * p + 1 < v.rows ? v(2 * p + 1, j) : bfloat16();
    }
  }
}

namespace detail {

/// Packs rows of A in tiles, one after the other along the depth, then down the rows; the depth is padded with 0.
__attribute__((target("avx512f,avx512bw"))) inline void pack_tiles(const matrix_view<const bfloat16>& a,
                                                                   bfloat16* to) noexcept {
  constexpr int lines = amx_tile::rows, steps = amx_tile::depth;
  for (index_t i = 0; i < a.rows; i += lines) {
    const index_t rows = std::min<index_t>(lines, a.rows - i);
    for (index_t p = 0; p < a.cols; p += steps, to += amx_tile::elements) {
      const index_t depth = std::min<index_t>(steps, a.cols - p);
      if (a.col_stride == 1 || a.cols == 1) {
        const std::uint32_t present = first_bits_of_32(depth);
        for (index_t l = 0; l < rows; ++l)
          _mm512_storeu_si512(to + l * steps, _mm512_maskz_loadu_epi16(present, &a(i + l, p)));
        continue;
      }
      alignas(64) bfloat16 pairs[amx_tile::elements];
      pack_pairs(pair_unit::tiles, a.block(i, p, rows, depth).transposed(), lines, pairs);
      __m512i words[lines];
      for (int q = 0; q < lines; ++q) words[q] = _mm512_load_si512(pairs + q * steps);
      transpose_words(words);
      for (int l = 0; l < lines; ++l) _mm512_storeu_si512(to + l * steps, words[l]);
    }
  }
}

}  // namespace detail

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

/// Operands of one tile of registers, or of one block of tiles: sums[rows×cols] ← or += A·B.
struct pair_run {
  index_t depth = 0;
  // Of A, for registers: pair p of row i at a + i·a_row + p·a_step. For tiles: 32 steps p of row i at a + i·a_row +
  // p/32·a_step, row 16 at a + a_lower; the last depth % 32 steps packed at a_tail, if not null.
  const bfloat16* a = nullptr;
  index_t a_row = 0, a_step = 0, a_lower = 0;
  const bfloat16* a_tail = nullptr;
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

/// Configures tiles for `rows` rows of A, 1 … 32: tiles 0 … 3 are sums, 4 and 5 of A, 6 and 7 of B.
__attribute__((target("amx-tile"), noinline)) inline void configure_tiles(index_t rows) noexcept {
  struct alignas(64) {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};
  } config;
  const index_t upper = std::min<index_t>(amx_tile::rows, rows), lower = rows - upper;
  const index_t rows_of_tile[] = {upper, upper, lower, lower, upper, lower, amx_tile::rows, amx_tile::rows};
  for (int t = 0; t < 8; ++t) {
    config.rows[t] = static_cast<std::uint8_t>(rows_of_tile[t]);
    config.row_bytes[t] = rows_of_tile[t] != 0 ? 64 : 0;
  }
  asm volatile("" : : "m"(config) : "memory");  // GCC 12 believes that the instruction reads 8 bytes
  _tile_loadconfig(&config);
}

/// Tiles 0 … 3 ← [r.sums +] A·B, for store_tiles(): Down·16 rows, or fewer as configured, Across·16 columns. Work:
/// 2·rows·16·Across·depth FLOP, the depth rounded up to 32.
/// Requires: a CPU with AMX, permission to use it (simd::request_tiles()), configure_tiles().
template <int Down, int Across>
__attribute__((target("amx-tile,amx-bf16"), noinline)) void compute_tiles(const pair_run& r) noexcept {
  constexpr int steps = amx_tile::depth;
  constexpr index_t b_bytes = 2 * 2 * pair_tile::cols, sum_bytes = 4 * pair_tile::cols;
  const float* const lower_sums = r.sums + amx_tile::rows * pair_tile::cols;
  asm volatile("" ::: "memory");  // GCC does not know that tiles are read from memory
  if (r.continues) {
    _tile_loadd(0, r.sums, sum_bytes);
    if constexpr (Across > 1) _tile_loadd(1, r.sums + pair_tile::lanes, sum_bytes);
    if constexpr (Down > 1) _tile_loadd(2, lower_sums, sum_bytes);
    if constexpr (Down > 1 && Across > 1) _tile_loadd(3, lower_sums + pair_tile::lanes, sum_bytes);
  } else {
    _tile_zero(0);
    if constexpr (Across > 1) _tile_zero(1);
    if constexpr (Down > 1) _tile_zero(2);
    if constexpr (Down > 1 && Across > 1) _tile_zero(3);
  }
  index_t left = ceil_div(r.depth, steps), a_bytes = 2 * r.a_row, a_lower = r.a_lower;
  const bfloat16 *a = r.a, *b = r.b;
  for (; left > 0; --left, a += r.a_step, b += steps * pair_tile::cols) {
    if (left == 1 && r.a_tail != nullptr) a = r.a_tail, a_bytes = 2 * steps, a_lower = amx_tile::elements;
    _tile_loadd(4, a, a_bytes);
    _tile_loadd(6, b, b_bytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (Across > 1) {
      _tile_loadd(7, b + 2 * pair_tile::lanes, b_bytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (Down > 1) {
      _tile_loadd(5, a + a_lower, a_bytes);
      _tile_dpbf16ps(2, 5, 6);
      if constexpr (Across > 1) _tile_dpbf16ps(3, 5, 7);
    }
  }
}

/// sums ← tiles 0 … 3.
template <int Down, int Across>
__attribute__((target("amx-tile"), noinline)) void store_tiles(float* sums) noexcept {
  constexpr index_t sum_bytes = 4 * pair_tile::cols;
  _tile_stored(0, sums, sum_bytes);
  if constexpr (Across > 1) _tile_stored(1, sums + pair_tile::lanes, sum_bytes);
  float* const lower = sums + amx_tile::rows * pair_tile::cols;
  if constexpr (Down > 1) _tile_stored(2, lower, sum_bytes);
  if constexpr (Down > 1 && Across > 1) _tile_stored(3, lower + pair_tile::lanes, sum_bytes);
  asm volatile("" ::: "memory");
}

/// compute_tiles() and store_tiles() of one shape.
struct tile_functions {
  void (*compute)(const pair_run&) noexcept;
  void (*store)(float*) noexcept;
};
/// Returns the functions for 1 … 32 rows and 1 or 2 tiles of columns.
[[nodiscard]] inline tile_functions tiles_of(index_t rows, index_t across) noexcept {
  if (rows <= amx_tile::rows)
    return across == 1 ? tile_functions{compute_tiles<1, 1>, store_tiles<1, 1>}
                       : tile_functions{compute_tiles<1, 2>, store_tiles<1, 2>};
  return across == 1 ? tile_functions{compute_tiles<2, 1>, store_tiles<2, 1>}
                     : tile_functions{compute_tiles<2, 2>, store_tiles<2, 2>};
}

/// Gives the tiles' state back: a switch of threads no longer saves it.
__attribute__((target("amx-tile"), noinline)) inline void release_tiles() noexcept { _tile_release(); }

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

#pragma GCC diagnostic pop

template <class To, class From>
void convert_block<To, From>::run(const matrix_view<const From>& from, const matrix_view<To>& to) noexcept {
  if (from.col_stride != 1 && to.col_stride != 1) return run(from.transposed(), to.transposed());
  for (index_t i = 0; i < from.rows; ++i) {
    if (from.col_stride == 1 && to.col_stride == 1) {
      convert(&from(i, 0), &to(i, 0), from.cols);
    } else {
      for (index_t j = 0; j < from.cols; ++j) to(i, j) = static_cast<To>(static_cast<float>(from(i, j)));
    }
  }
}

namespace detail {

/// Rows of c ← f(sums + bias), f none or relu, rounded; a denormal sum becomes 0.
__attribute__((target("avx512f,avx512bw,avx512bf16"))) inline void store_pairs(const gemm_args<bfloat16>& g,
                                                                               const float* sums) noexcept {
  const std::uint32_t columns = first_bits_of_32(g.c.cols);
  const bool relu = g.options.act == activation::relu;
  const __m512 least = _mm512_set1_ps(relu ? 0.0F : -std::numeric_limits<float>::infinity());
  __m512 bias[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
  if (g.options.bias != nullptr) {
    const __m512i both = _mm512_maskz_loadu_epi16(columns, g.options.bias);
    const __m256i halves[2] = {_mm512_maskz_extracti64x4_epi64(0xF, both, 0),
                               _mm512_maskz_extracti64x4_epi64(0xF, both, 1)};
    for (int j = 0; j < 2; ++j)
      bias[j] =
          _mm512_castsi512_ps(_mm512_maskz_slli_epi32(0xFFFF, _mm512_maskz_cvtepu16_epi32(0xFFFF, halves[j]), 16));
  }
  for (index_t i = 0; i < g.c.rows; ++i, sums += pair_tile::cols) {
    __m512 x[2] = {_mm512_loadu_ps(sums), _mm512_loadu_ps(sums + pair_tile::lanes)};
    for (int j = 0; j < 2; ++j) x[j] = _mm512_maskz_max_ps(0xFFFF, least, _mm512_add_ps(x[j], bias[j]));
    _mm512_mask_storeu_epi16(&g.c(i, 0), columns, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(x[1], x[0])));
  }
}

/// Rows of c ← f(α·sums + β·c + bias), rounded.
inline void finish_pairs(const gemm_args<bfloat16>& g, const float* sums) noexcept {
  using vec = simd::batch<float>;
  constexpr index_t lanes = simd::lanes<float>;
  const auto& [alpha, beta, bias, act, no_activation] = g.options;
  const bool in_registers = act == activation::none || act == activation::relu;
  if (exactly(alpha, 1.0F) && exactly(beta, 0.0F) && in_registers && g.c.col_stride == 1) return store_pairs(g, sums);
  const vec scale(alpha), keep(beta), zero(0.0F);
  for (index_t i = 0; i < g.c.rows; ++i, sums += pair_tile::cols) {
    for (index_t j = 0; j < g.c.cols; j += lanes) {
      const index_t count = (std::min)(lanes, g.c.cols - j);
      bfloat16 spread[static_cast<std::size_t>(lanes)];
      bfloat16* const c = g.c.col_stride == 1 ? &g.c(i, j) : spread;
      if (c == spread && !exactly(beta, 0.0F))
        for (index_t l = 0; l < count; ++l) spread[l] = g.c(i, j + l);
      vec x = scale * simd::load(sums + j);
      if (!exactly(beta, 0.0F)) x = simd::fma(keep, count == lanes ? simd::load(c) : simd::load_partial(c, count), x);
      if (bias != nullptr) x = x + (count == lanes ? simd::load(bias + j) : simd::load_partial(bias + j, count));
      if (act == activation::relu) x = (simd::max)(x, zero);
      else if (act == activation::relu6) x = relu6<float>{}(x)[0];
      else if (act == activation::sigmoid) x = simd::sigmoid<float>(x);
      else if (act == activation::tanh) x = simd::tanh<float>(x);
      if (count == lanes) simd::store(c, x);
      else simd::store_partial(c, x, count);
      if (c == spread)
        for (index_t l = 0; l < count; ++l) g.c(i, j + l) = spread[l];
    }
  }
}

/// Rows of A of a part of the depth as a unit reads them: in place, packed, or with only the last steps packed.
struct pair_rows {
  const pair_schedule& s;
  const gemm_args<bfloat16>& g;
  index_t p, depth;
  bfloat16* packed;

  /// Packs what is not read in place.
  void pack() const noexcept {
    const index_t m = g.c.rows, in_place = s.packs_a ? 0 : depth / amx_tile::depth * amx_tile::depth;
    if (s.unit == pair_unit::tiles) {
      if (in_place < depth) pack_tiles(g.a.block(0, p + in_place, m, depth - in_place), packed);
    } else if (s.packs_a) {
      for (index_t i = 0; i < m; i += pair_tile::rows) {
        const index_t rows = std::min<index_t>(pair_tile::rows, m - i);
        pack_pairs(s.unit, g.a.block(i, p, rows, depth).transposed(), rows, packed + i * round_up(depth, 2));
      }
    }
  }
  /// Sets the addresses of A for `rows` rows from i on.
  void address(index_t i, index_t rows, pair_run& run) const noexcept {
    if (s.unit == pair_unit::registers) {
      run.a = s.packs_a ? packed + i * round_up(depth, 2) : &g.a(i, p);
      run.a_row = s.packs_a ? 2 : g.a.row_stride;
      run.a_step = s.packs_a ? 2 * rows : 2;
    } else if (s.packs_a) {
      const index_t padded = round_up(depth, amx_tile::depth);
      run.a = packed + i * padded;
      run.a_row = amx_tile::depth, run.a_step = amx_tile::elements, run.a_lower = amx_tile::rows * padded;
    } else {
      run.a = &g.a(i, p);
      run.a_row = g.a.row_stride, run.a_step = amx_tile::depth, run.a_lower = amx_tile::rows * g.a.row_stride;
      run.a_tail = depth % amx_tile::depth != 0 ? packed + i * amx_tile::depth : nullptr;
    }
  }
};

template <std::same_as<bfloat16> T>
void run_pair_block(const pair_schedule& s, const gemm_args<T>& g, const T* packed, std::byte* memory) noexcept {
  using tile = pair_tile;
  const index_t m = g.c.rows, n = g.c.cols, k = g.a.cols, tall = rows_of(s.unit);
  auto* const sums = reinterpret_cast<float*>(memory);
  auto* const packed_a = reinterpret_cast<bfloat16*>(memory + s.sums_bytes);
  auto* const packed_b = reinterpret_cast<bfloat16*>(memory + s.sums_bytes + s.a_bytes);
  index_t p = 0, configured = 0;
  struct {
    gemm_args<T> g;
    const float* sums = nullptr;
  } waiting;  // a block whose sums are stored: finished while the tiles of the next one are computed
  const auto finish_waiting = [&] {
    if (waiting.sums != nullptr) finish_pairs(waiting.g, waiting.sums);
    waiting.sums = nullptr;
  };
  do {
    const index_t depth = (std::min)(s.depth, k - p);
    const bool last = p + depth == k, only = last && p == 0;
    const pair_rows a_rows{s, g, p, depth, packed_a};
    a_rows.pack();
    for (index_t j = 0, panel = 0; j < n; j += tile::cols, ++panel) {
      const index_t cols = std::min<index_t>(tile::cols, n - j);
      pair_run run{.depth = depth, .continues = p > 0};
      if (s.b == pair_source::rows) {
        run.b = &g.b(p, j), run.b_row = g.b.row_stride, run.b_cols = cols;
      } else if (packed != nullptr) {
        run.b = packed + panel * packed_pairs(s.unit, k, tile::cols) + p * tile::cols;
      } else {
        pack_pairs(s.unit, pair_panel(g.b, panel, p, depth), tile::cols, packed_b);
        run.b = packed_b;
      }
      for (index_t i = 0; i < m; i += tall) {
        const index_t rows = (std::min)(tall, m - i);
        a_rows.address(i, rows, run);
        run.sums = only ? sums : sums + (panel * s.height + i) * tile::cols;
        const index_t vectors = cols > tile::lanes ? 2 : 1;
        const gemm_args<T> computed = block(g, i, j, rows, cols);
        if (s.unit == pair_unit::tiles) {
          if (rows != configured) configure_tiles(configured = rows);
          const tile_functions tiles = tiles_of(rows, vectors);
          tiles.compute(run);
          finish_waiting();
          tiles.store(run.sums);
          if (last) waiting = {computed, run.sums};
          continue;
        }
        if (s.b == pair_source::rows) run_pairs<pair_source::rows>(rows, vectors, run);
        else run_pairs<pair_source::panel>(rows, vectors, run);
        if (last) finish_pairs(computed, run.sums);
      }
    }
    p += depth;
  } while (p < k);
  finish_waiting();
  if (configured != 0) release_tiles();
}

}  // namespace detail

/// Called only through an AVX-512 kernel table; other instruction sets have an empty body.
template <std::same_as<bfloat16> T>
void gemm_pair_block<T>::run([[maybe_unused]] const pair_schedule& s, [[maybe_unused]] const gemm_args<T>& g,
                             [[maybe_unused]] const T* packed, [[maybe_unused]] std::byte* memory) noexcept {
  if constexpr (multiplies_pairs(native_unit)) detail::run_pair_block(s, g, packed, memory);
}
template <std::same_as<bfloat16> T>
void gemm_pack_pair_panel<T>::run([[maybe_unused]] pair_unit unit, [[maybe_unused]] const matrix_view<const T>& panel,
                                  [[maybe_unused]] T* to) noexcept {
  if constexpr (multiplies_pairs(native_unit)) pack_pairs(unit, panel, pair_tile::cols, to);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
