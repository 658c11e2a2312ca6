// SPDX-License-Identifier: MIT
#pragma once

#include <xsimd/xsimd.hpp>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {
using arch = xsimd::sse4_2;
}
#include <ridgepoint/simd/isa/xmm_transpose.hpp>
#include <ridgepoint/simd/isa/xsimd_common.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

// No masked access: two lanes, then one. A load through a stack buffer would wait for the stores of single lanes.
RIDGEPOINT_INLINE batch<float> load_partial(const float* p, index_t n) noexcept {
  if (n >= 4) return _mm_loadu_ps(p);
  const __m128 last = (n & 1) != 0 ? _mm_load_ss(p + n - 1) : _mm_setzero_ps();
  return n < 2 ? last : _mm_movelh_ps(_mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))), last);
}
RIDGEPOINT_INLINE batch<double> load_partial(const double* p, index_t n) noexcept {
  return n >= 2 ? _mm_loadu_pd(p) : n == 1 ? _mm_load_sd(p) : _mm_setzero_pd();
}
RIDGEPOINT_INLINE void store_partial(float* p, batch<float> x, index_t n) noexcept {
  if (n >= 4) return _mm_storeu_ps(p, x);
  __m128 last = x;
  if (n >= 2) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_castps_si128(x));
    last = _mm_movehl_ps(x, x);
  }
  if ((n & 1) != 0) _mm_store_ss(p + n - 1, last);
}
RIDGEPOINT_INLINE void store_partial(double* p, batch<double> x, index_t n) noexcept {
  if (n >= 2) _mm_storeu_pd(p, x);
  else if (n == 1) _mm_store_sd(p, x);
}
RIDGEPOINT_INLINE void stream(float* p, batch<float> x) noexcept { _mm_stream_ps(p, x); }
RIDGEPOINT_INLINE void stream(double* p, batch<double> x) noexcept { _mm_stream_pd(p, x); }

RIDGEPOINT_INLINE batch<float> fma(batch<float> x, batch<float> y, batch<float> z) noexcept {
  return _mm_add_ps(_mm_mul_ps(x, y), z);
}
RIDGEPOINT_INLINE batch<double> fma(batch<double> x, batch<double> y, batch<double> z) noexcept {
  return _mm_add_pd(_mm_mul_pd(x, y), z);
}

RIDGEPOINT_INLINE batch<float>(max)(batch<float> x, batch<float> bound) noexcept { return _mm_max_ps(bound, x); }
RIDGEPOINT_INLINE batch<double>(max)(batch<double> x, batch<double> bound) noexcept { return _mm_max_pd(bound, x); }
RIDGEPOINT_INLINE batch<float>(min)(batch<float> x, batch<float> bound) noexcept { return _mm_min_ps(bound, x); }
RIDGEPOINT_INLINE batch<double>(min)(batch<double> x, batch<double> bound) noexcept { return _mm_min_pd(bound, x); }
RIDGEPOINT_INLINE batch<float> sqrt(batch<float> x) noexcept { return _mm_sqrt_ps(x); }
RIDGEPOINT_INLINE batch<double> sqrt(batch<double> x) noexcept { return _mm_sqrt_pd(x); }

RIDGEPOINT_INLINE batch<float> round(batch<float> x) noexcept {
  return _mm_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
RIDGEPOINT_INLINE batch<double> round(batch<double> x) noexcept {
  return _mm_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/// Counters in 64-bit lanes, for random numbers.
using counters = integers<std::uint64_t, 16>;
/// Multiplies the low 32 bits of each lane.
RIDGEPOINT_INLINE counters multiply_low(counters a, counters b) noexcept {
  return __builtin_bit_cast(counters, _mm_mul_epu32(__builtin_bit_cast(__m128i, a), __builtin_bit_cast(__m128i, b)));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
