// SPDX-License-Identifier: MIT
#pragma once

#include <xsimd/xsimd.hpp>

#include <ridgepoint/core/types.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {
using arch = xsimd::sse2;
}
#include <ridgepoint/simd/isa/xmm_transpose.hpp>
#include <ridgepoint/simd/isa/xsimd_common.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

template <class T>
RIDGEPOINT_INLINE batch<T> load_partial(const T* p, index_t n) noexcept {
  alignas(16) T lane[16 / sizeof(T)] = {};
  for (index_t i = 0; i < n; ++i) lane[i] = p[i];
  return batch<T>::load_aligned(lane);
}
template <class T>
RIDGEPOINT_INLINE void store_partial(T* p, xsimd::batch<T, arch> x, index_t n) noexcept {
  alignas(16) T lane[16 / sizeof(T)];
  x.store_aligned(lane);
  for (index_t i = 0; i < n; ++i) p[i] = lane[i];
}
RIDGEPOINT_INLINE void stream(float* p, batch<float> x) noexcept { _mm_stream_ps(p, x); }
RIDGEPOINT_INLINE void stream(double* p, batch<double> x) noexcept { _mm_stream_pd(p, x); }

template <class T>
RIDGEPOINT_INLINE xsimd::batch<T, arch> fma(xsimd::batch<T, arch> x, batch<T> y, batch<T> z) noexcept {
  return x * y + z;
}
RIDGEPOINT_INLINE batch<float> max(batch<float> x, batch<float> bound) noexcept { return _mm_max_ps(bound, x); }
RIDGEPOINT_INLINE batch<double> max(batch<double> x, batch<double> bound) noexcept { return _mm_max_pd(bound, x); }
RIDGEPOINT_INLINE batch<float> min(batch<float> x, batch<float> bound) noexcept { return _mm_min_ps(bound, x); }
RIDGEPOINT_INLINE batch<double> min(batch<double> x, batch<double> bound) noexcept { return _mm_min_pd(bound, x); }
RIDGEPOINT_INLINE batch<float> sqrt(batch<float> x) noexcept { return _mm_sqrt_ps(x); }
RIDGEPOINT_INLINE batch<double> sqrt(batch<double> x) noexcept { return _mm_sqrt_pd(x); }

/// SSE2 has no rounding instruction (SSE4.1 has). Adding 1.5·2^p, with p fraction bits, rounds off the fraction of x. A
/// larger x has no fraction.
template <class T>
RIDGEPOINT_INLINE xsimd::batch<T, arch> round(xsimd::batch<T, arch> x) noexcept {
  const batch<T> shift(sizeof(T) == 4 ? T(12582912) : T(6755399441055744)), limit(shift / batch<T>(T(3)));
  return simd::select((x < limit) & (-limit < x), (x + shift) - shift, x);
}

using counters = integers<std::uint64_t, 16>;
RIDGEPOINT_INLINE counters multiply_low(counters a, counters b) noexcept {
  return __builtin_bit_cast(counters, _mm_mul_epu32(__builtin_bit_cast(__m128i, a), __builtin_bit_cast(__m128i, b)));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
