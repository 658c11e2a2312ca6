// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/isa/xsimd_common.hpp>
#include <ridgepoint/simd/next_line.hpp>

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

/// 256-bit registers: shared by avx, avx_fma and avx2.
namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

namespace detail {
inline constexpr std::int64_t ymm_mask64[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
inline constexpr std::int32_t ymm_mask32[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
RIDGEPOINT_INLINE __m256i first32(index_t n) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ymm_mask32 + 8 - n));
}
RIDGEPOINT_INLINE __m256i first64(index_t n) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ymm_mask64 + 4 - n));
}
}  // namespace detail

RIDGEPOINT_INLINE batch<float> load_partial(const float* p, index_t n) noexcept {
  return _mm256_maskload_ps(p, detail::first32(n));
}
RIDGEPOINT_INLINE batch<double> load_partial(const double* p, index_t n) noexcept {
  return _mm256_maskload_pd(p, detail::first64(n));
}
RIDGEPOINT_INLINE void store_partial(float* p, batch<float> x, index_t n) noexcept {
  _mm256_maskstore_ps(p, detail::first32(n), x);
}
RIDGEPOINT_INLINE void store_partial(double* p, batch<double> x, index_t n) noexcept {
  _mm256_maskstore_pd(p, detail::first64(n), x);
}
RIDGEPOINT_INLINE void stream(float* p, batch<float> x) noexcept { _mm256_stream_ps(p, x); }
RIDGEPOINT_INLINE void stream(double* p, batch<double> x) noexcept { _mm256_stream_pd(p, x); }

RIDGEPOINT_INLINE batch<float> fma(batch<float> x, batch<float> y, batch<float> z) noexcept {
#if defined(__FMA__)
  return _mm256_fmadd_ps(x, y, z);
#else
  return _mm256_add_ps(_mm256_mul_ps(x, y), z);
#endif
}
RIDGEPOINT_INLINE batch<double> fma(batch<double> x, batch<double> y, batch<double> z) noexcept {
#if defined(__FMA__)
  return _mm256_fmadd_pd(x, y, z);
#else
  return _mm256_add_pd(_mm256_mul_pd(x, y), z);
#endif
}

RIDGEPOINT_INLINE batch<float>(max)(batch<float> x, batch<float> bound) noexcept { return _mm256_max_ps(bound, x); }
RIDGEPOINT_INLINE batch<double>(max)(batch<double> x, batch<double> bound) noexcept { return _mm256_max_pd(bound, x); }
RIDGEPOINT_INLINE batch<float>(min)(batch<float> x, batch<float> bound) noexcept { return _mm256_min_ps(bound, x); }
RIDGEPOINT_INLINE batch<double>(min)(batch<double> x, batch<double> bound) noexcept { return _mm256_min_pd(bound, x); }
RIDGEPOINT_INLINE batch<float> sqrt(batch<float> x) noexcept { return _mm256_sqrt_ps(x); }
RIDGEPOINT_INLINE batch<double> sqrt(batch<double> x) noexcept { return _mm256_sqrt_pd(x); }

RIDGEPOINT_INLINE batch<float> round(batch<float> x) noexcept {
  return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
RIDGEPOINT_INLINE batch<double> round(batch<double> x) noexcept {
  return _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// AVX has no 256-bit integer arithmetic.
#if defined(__AVX2__)
/// Counters in 64-bit lanes, for random numbers.
using counters = integers<std::uint64_t, 32>;
/// Multiplies the low 32 bits of each lane.
RIDGEPOINT_INLINE counters multiply_low(counters a, counters b) noexcept {
  return __builtin_bit_cast(counters, _mm256_mul_epu32(__builtin_bit_cast(__m256i, a), __builtin_bit_cast(__m256i, b)));
}
#else
using counters = integers<std::uint64_t, 16>;
RIDGEPOINT_INLINE counters multiply_low(counters a, counters b) noexcept {
  return __builtin_bit_cast(counters, _mm_mul_epu32(__builtin_bit_cast(__m128i, a), __builtin_bit_cast(__m128i, b)));
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
