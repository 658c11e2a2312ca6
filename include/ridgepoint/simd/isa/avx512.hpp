// SPDX-License-Identifier: MIT
#pragma once

#include <xsimd/xsimd.hpp>

#include <ridgepoint/core/types.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // masks in macros of immintrin.h

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {
using arch = xsimd::avx512bw;
}
#include <ridgepoint/simd/isa/xsimd_common.hpp>
#include <ridgepoint/simd/isa/ymm_transpose.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

namespace detail {
RIDGEPOINT_INLINE unsigned first_bits(index_t n) noexcept { return (1U << n) - 1U; }
}  // namespace detail

RIDGEPOINT_INLINE batch<float> load_partial(const float* p, index_t n) noexcept {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(detail::first_bits(n)), p);
}
RIDGEPOINT_INLINE batch<double> load_partial(const double* p, index_t n) noexcept {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(detail::first_bits(n)), p);
}
RIDGEPOINT_INLINE void store_partial(float* p, batch<float> x, index_t n) noexcept {
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>(detail::first_bits(n)), x);
}
RIDGEPOINT_INLINE void store_partial(double* p, batch<double> x, index_t n) noexcept {
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>(detail::first_bits(n)), x);
}
RIDGEPOINT_INLINE void stream(float* p, batch<float> x) noexcept { _mm512_stream_ps(p, x); }
RIDGEPOINT_INLINE void stream(double* p, batch<double> x) noexcept { _mm512_stream_pd(p, x); }

// xsimd 8.1 has no AVX-512 fma: its generic x*y+z is a multiply and an add on Clang, half the peak on Intel.
RIDGEPOINT_INLINE batch<float> fma(batch<float> x, batch<float> y, batch<float> z) noexcept {
  return _mm512_fmadd_ps(x, y, z);
}
RIDGEPOINT_INLINE batch<double> fma(batch<double> x, batch<double> y, batch<double> z) noexcept {
  return _mm512_fmadd_pd(x, y, z);
}

// The zero-masking forms with a full mask: the plain ones warn about an uninitialised value inside GCC 12's header.
RIDGEPOINT_INLINE batch<float>(max)(batch<float> x, batch<float> bound) noexcept {
  return _mm512_maskz_max_ps(0xFFFF, bound, x);
}
RIDGEPOINT_INLINE batch<double>(max)(batch<double> x, batch<double> bound) noexcept {
  return _mm512_maskz_max_pd(0xFF, bound, x);
}
RIDGEPOINT_INLINE batch<float>(min)(batch<float> x, batch<float> bound) noexcept {
  return _mm512_maskz_min_ps(0xFFFF, bound, x);
}
RIDGEPOINT_INLINE batch<double>(min)(batch<double> x, batch<double> bound) noexcept {
  return _mm512_maskz_min_pd(0xFF, bound, x);
}
RIDGEPOINT_INLINE batch<float> sqrt(batch<float> x) noexcept { return _mm512_maskz_sqrt_ps(0xFFFF, x); }
RIDGEPOINT_INLINE batch<double> sqrt(batch<double> x) noexcept { return _mm512_maskz_sqrt_pd(0xFF, x); }

RIDGEPOINT_INLINE batch<float> round(batch<float> x) noexcept {
  return _mm512_maskz_roundscale_ps(0xFFFF, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
RIDGEPOINT_INLINE batch<double> round(batch<double> x) noexcept {
  return _mm512_maskz_roundscale_pd(0xFF, x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/// Counters in 64-bit lanes, for random numbers.
using counters = integers<std::uint64_t, 64>;
/// Multiplies the low 32 bits of each lane.
RIDGEPOINT_INLINE counters multiply_low(counters a, counters b) noexcept {
  return __builtin_bit_cast(
      counters, _mm512_maskz_mul_epu32(0xFF, __builtin_bit_cast(__m512i, a), __builtin_bit_cast(__m512i, b)));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

#pragma GCC diagnostic pop
