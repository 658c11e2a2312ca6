// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>

#include <xsimd/xsimd.hpp>

#include <ridgepoint/core/types.hpp>

/// Conversions of bytes to registers of numbers and back, for every xsimd architecture. Include through simd/batch.hpp.
namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

namespace detail {
/// Converts four bytes to 32-bit lanes and back; the most that SSE2 has.
RIDGEPOINT_INLINE __m128i widened(const std::uint8_t* p) noexcept {
  std::int32_t four;
  std::memcpy(&four, p, sizeof four);
  const __m128i zero = _mm_setzero_si128();
  return _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero), zero);
}
RIDGEPOINT_INLINE __m128i narrowed(__m128i low, __m128i high) noexcept {
  const __m128i halves = _mm_packs_epi32(low, high);
  return _mm_packus_epi16(halves, halves);
}
RIDGEPOINT_INLINE void load_numbers(const std::uint8_t* p, __m128& x) noexcept { x = _mm_cvtepi32_ps(widened(p)); }
RIDGEPOINT_INLINE void load_numbers(const std::uint8_t* p, __m128d& x) noexcept { x = _mm_set_pd(p[1], p[0]); }
RIDGEPOINT_INLINE void store_numbers(std::uint8_t* p, __m128 x) noexcept {
  const __m128i lanes = _mm_cvttps_epi32(x);
  const std::int32_t four = _mm_cvtsi128_si32(narrowed(lanes, lanes));
  std::memcpy(p, &four, sizeof four);
}
RIDGEPOINT_INLINE void store_numbers(std::uint8_t* p, __m128d x) noexcept {
  const __m128i lanes = _mm_cvttpd_epi32(x);
  const std::int32_t two = _mm_cvtsi128_si32(narrowed(lanes, lanes));
  std::memcpy(p, &two, 2);
}
#if defined(__AVX__)
RIDGEPOINT_INLINE void load_numbers(const std::uint8_t* p, __m256& x) noexcept {
  x = _mm256_cvtepi32_ps(_mm256_insertf128_si256(_mm256_castsi128_si256(widened(p)), widened(p + 4), 1));
}
RIDGEPOINT_INLINE void load_numbers(const std::uint8_t* p, __m256d& x) noexcept { x = _mm256_cvtepi32_pd(widened(p)); }
RIDGEPOINT_INLINE void store_numbers(std::uint8_t* p, __m256 x) noexcept {
  const __m256i lanes = _mm256_cvttps_epi32(x);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p),
                   narrowed(_mm256_castsi256_si128(lanes), _mm256_extractf128_si256(lanes, 1)));
}
RIDGEPOINT_INLINE void store_numbers(std::uint8_t* p, __m256d x) noexcept {
  const __m128i lanes = _mm256_cvttpd_epi32(x);
  const std::int32_t four = _mm_cvtsi128_si32(narrowed(lanes, lanes));
  std::memcpy(p, &four, sizeof four);
}
#endif
#if defined(__AVX512F__) && defined(__AVX512VL__)
// The zero-masking forms with a full mask: the plain ones warn about an uninitialised value inside GCC 12's header.
RIDGEPOINT_INLINE void load_numbers(const std::uint8_t* p, __m512& x) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  x = _mm512_maskz_cvtepi32_ps(0xFFFF, _mm512_maskz_cvtepu8_epi32(0xFFFF, bytes));
}
RIDGEPOINT_INLINE void load_numbers(const std::uint8_t* p, __m512d& x) noexcept {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  x = _mm512_maskz_cvtepi32_pd(0xFF, _mm256_cvtepu8_epi32(bytes));
}
RIDGEPOINT_INLINE void store_numbers(std::uint8_t* p, __m512 x) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm512_maskz_cvtepi32_epi8(0xFFFF, _mm512_maskz_cvttps_epi32(0xFFFF, x)));
}
RIDGEPOINT_INLINE void store_numbers(std::uint8_t* p, __m512d x) noexcept {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm256_maskz_cvtepi32_epi8(0xFF, _mm512_maskz_cvttpd_epi32(0xFF, x)));
}
#endif
}  // namespace detail

template <class T>
RIDGEPOINT_INLINE batch<T> load_bytes(const std::uint8_t* p) noexcept {
  typename batch<T>::register_type x;
  detail::load_numbers(p, x);
  return x;
}
template <class T>
RIDGEPOINT_INLINE void store_bytes(std::uint8_t* p, xsimd::batch<T, arch> x) noexcept {
  detail::store_numbers(p, static_cast<typename batch<T>::register_type>(x));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
