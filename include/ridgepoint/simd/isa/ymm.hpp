// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/simd/isa/xsimd_common.hpp>
#include <ridgepoint/simd/isa/ymm_transpose.hpp>

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
// Stores pieces: on AMD a masked store of 256 bits takes 12 to 20 cycles, pieces take 3 (EPYC, family 25, model 17).
RIDGEPOINT_INLINE void store_partial(float* p, batch<float> x, index_t n) noexcept {
  if (n >= 8) return _mm256_storeu_ps(p, x);
  __m128 rest = _mm256_castps256_ps128(x);
  if ((n & 4) != 0) {
    _mm_storeu_ps(p, rest);
    p += 4, rest = _mm256_extractf128_ps(x, 1);
  }
  if ((n & 2) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_castps_si128(rest));
    p += 2, rest = _mm_movehl_ps(rest, rest);
  }
  if ((n & 1) != 0) _mm_store_ss(p, rest);
}
RIDGEPOINT_INLINE void store_partial(double* p, batch<double> x, index_t n) noexcept {
  if (n >= 4) return _mm256_storeu_pd(p, x);
  __m128d rest = _mm256_castpd256_pd128(x);
  if ((n & 2) != 0) {
    _mm_storeu_pd(p, rest);
    p += 2, rest = _mm256_extractf128_pd(x, 1);
  }
  if ((n & 1) != 0) _mm_store_sd(p, rest);
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
