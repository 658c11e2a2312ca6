// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// Rows of a square: four of float, two of double.
template <class T>
inline constexpr index_t transpose_edge = 16 / static_cast<int>(sizeof(T));

template <class T>
RIDGEPOINT_INLINE void transpose_square(const T* src, index_t src_ld, T* dst, index_t dst_ld) noexcept {
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
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
