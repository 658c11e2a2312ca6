// SPDX-License-Identifier: MIT
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <cstdint>

#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/view.hpp>

/// \file
/// Packs operands for kernels/gemm/pair_tile.hpp. Compiled for AVX-512 in every translation unit.
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

/// to[p·width + j] ← the pair v(2p, j), v(2p + 1, j), for the v.cols lines of a panel `width` wide; 0 outside v. A
/// panel of B is a part of B, one of A a part of Aᵀ.
/// Requires: v.cols ≤ width ≤ 32; a CPU with AVX-512 F and BW.
inline void pack_pairs(const matrix_view<const bfloat16>& v, index_t width, bfloat16* to) noexcept {
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
