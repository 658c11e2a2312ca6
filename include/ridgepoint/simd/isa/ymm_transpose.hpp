// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/isa.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// Rows of a square: eight of float, four of double; also with AVX-512: packing is bound by memory, not by shuffles.
template <class T>
inline constexpr index_t transpose_edge = 32 / static_cast<int>(sizeof(T));

template <class T, bool LeftHalf = false>
RIDGEPOINT_INLINE void transpose_square(const T* src, index_t src_ld, T* dst, index_t dst_ld) noexcept {
  // Halves of rows i and i + half meet in one register at the load, so that the last exchange of a textbook square is
  // free.
  constexpr int half = static_cast<int>(transpose_edge<T>) / 2, cols = LeftHalf ? half : 2 * half;
  const T* upper = src;
  const T* lower = src + half * src_ld;
  if constexpr (sizeof(T) == 4) {
    __m256 r[cols];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < half; ++i, upper = next_line(upper, src_ld), lower = next_line(lower, src_ld)) {
      RIDGEPOINT_UNROLL
      for (int h = 0; h < cols; h += half)
        r[i + h] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(upper + h)), _mm_loadu_ps(lower + h), 1);
    }
    RIDGEPOINT_UNROLL
    for (int h = 0; h < cols; h += half) {
      const __m256 lo01 = _mm256_unpacklo_ps(r[h], r[h + 1]), hi01 = _mm256_unpackhi_ps(r[h], r[h + 1]);
      const __m256 lo23 = _mm256_unpacklo_ps(r[h + 2], r[h + 3]), hi23 = _mm256_unpackhi_ps(r[h + 2], r[h + 3]);
      _mm256_storeu_ps(dst, _mm256_shuffle_ps(lo01, lo23, _MM_SHUFFLE(1, 0, 1, 0)));
      dst = next_line(dst, dst_ld);
      _mm256_storeu_ps(dst, _mm256_shuffle_ps(lo01, lo23, _MM_SHUFFLE(3, 2, 3, 2)));
      dst = next_line(dst, dst_ld);
      _mm256_storeu_ps(dst, _mm256_shuffle_ps(hi01, hi23, _MM_SHUFFLE(1, 0, 1, 0)));
      dst = next_line(dst, dst_ld);
      _mm256_storeu_ps(dst, _mm256_shuffle_ps(hi01, hi23, _MM_SHUFFLE(3, 2, 3, 2)));
      dst = next_line(dst, dst_ld);
    }
  } else {
    __m256d r[cols];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < half; ++i, upper = next_line(upper, src_ld), lower = next_line(lower, src_ld)) {
      RIDGEPOINT_UNROLL
      for (int h = 0; h < cols; h += half)
        r[i + h] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(upper + h)), _mm_loadu_pd(lower + h), 1);
    }
    RIDGEPOINT_UNROLL
    for (int h = 0; h < cols; h += half) {
      _mm256_storeu_pd(dst, _mm256_unpacklo_pd(r[h], r[h + 1]));
      dst = next_line(dst, dst_ld);
      _mm256_storeu_pd(dst, _mm256_unpackhi_pd(r[h], r[h + 1]));
      dst = next_line(dst, dst_ld);
    }
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

#pragma GCC diagnostic pop
