// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/batch.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// Edge of the square that transpose_square() turns in registers. AVX-512 uses the 256-bit form too: packing is bound
/// by memory, not by shuffles.
template <class T>
inline constexpr index_t transpose_edge = native::width_bytes == 0
                                              ? 1
                                              : (native::width_bytes > 32 ? 32 : native::width_bytes) /
                                                    static_cast<int>(sizeof(T));

/// dst(j, i) ← src(i, j) for a square of transpose_edge<T>; rows src_ld and dst_ld apart.
template <class T>
RIDGEPOINT_INLINE void transpose_square(const T* src, index_t src_ld, T* dst, index_t dst_ld) noexcept {
#if defined(RIDGEPOINT_FORCE_SCALAR) || !defined(__SSE4_2__)
  static_assert(transpose_edge<T> == 1, "an instruction set with registers needs a transpose of its own");
  static_cast<void>(src_ld), static_cast<void>(dst_ld);
  *dst = *src;
#elif defined(__AVX__)
  if constexpr (sizeof(T) == 4) {
    // Halves of rows i and i+4 meet in one register at the load, so that the last exchange of a textbook 8×8 is free.
    __m256 r[8];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < 4; ++i) {
      r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(src + i * src_ld)),
                                  _mm_loadu_ps(src + (i + 4) * src_ld), 1);
      r[i + 4] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(src + i * src_ld + 4)),
                                      _mm_loadu_ps(src + (i + 4) * src_ld + 4), 1);
    }
    RIDGEPOINT_UNROLL
    for (int h = 0; h < 8; h += 4) {
      const __m256 lo01 = _mm256_unpacklo_ps(r[h], r[h + 1]), hi01 = _mm256_unpackhi_ps(r[h], r[h + 1]);
      const __m256 lo23 = _mm256_unpacklo_ps(r[h + 2], r[h + 3]), hi23 = _mm256_unpackhi_ps(r[h + 2], r[h + 3]);
      _mm256_storeu_ps(dst + (h + 0) * dst_ld, _mm256_shuffle_ps(lo01, lo23, _MM_SHUFFLE(1, 0, 1, 0)));
      _mm256_storeu_ps(dst + (h + 1) * dst_ld, _mm256_shuffle_ps(lo01, lo23, _MM_SHUFFLE(3, 2, 3, 2)));
      _mm256_storeu_ps(dst + (h + 2) * dst_ld, _mm256_shuffle_ps(hi01, hi23, _MM_SHUFFLE(1, 0, 1, 0)));
      _mm256_storeu_ps(dst + (h + 3) * dst_ld, _mm256_shuffle_ps(hi01, hi23, _MM_SHUFFLE(3, 2, 3, 2)));
    }
  } else {
    __m256d r[4];
    RIDGEPOINT_UNROLL
    for (int i = 0; i < 2; ++i) {
      r[i] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(src + i * src_ld)),
                                  _mm_loadu_pd(src + (i + 2) * src_ld), 1);
      r[i + 2] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(src + i * src_ld + 2)),
                                      _mm_loadu_pd(src + (i + 2) * src_ld + 2), 1);
    }
    RIDGEPOINT_UNROLL
    for (int h = 0; h < 4; h += 2) {
      _mm256_storeu_pd(dst + h * dst_ld, _mm256_unpacklo_pd(r[h], r[h + 1]));
      _mm256_storeu_pd(dst + (h + 1) * dst_ld, _mm256_unpackhi_pd(r[h], r[h + 1]));
    }
  }
#else
  if constexpr (sizeof(T) == 4) {
    __m128 r0 = _mm_loadu_ps(src), r1 = _mm_loadu_ps(src + src_ld), r2 = _mm_loadu_ps(src + 2 * src_ld),
           r3 = _mm_loadu_ps(src + 3 * src_ld);
    _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
    _mm_storeu_ps(dst, r0);
    _mm_storeu_ps(dst + dst_ld, r1);
    _mm_storeu_ps(dst + 2 * dst_ld, r2);
    _mm_storeu_ps(dst + 3 * dst_ld, r3);
  } else {
    const __m128d r0 = _mm_loadu_pd(src), r1 = _mm_loadu_pd(src + src_ld);
    _mm_storeu_pd(dst, _mm_unpacklo_pd(r0, r1));
    _mm_storeu_pd(dst + dst_ld, _mm_unpackhi_pd(r0, r1));
  }
#endif
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
