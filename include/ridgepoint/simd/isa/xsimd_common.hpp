// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstring>

#include <xsimd/xsimd.hpp>

#include <ridgepoint/core/float16.hpp>
#include <ridgepoint/core/types.hpp>
#include <ridgepoint/simd/bits.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of registers and lanes are ints

/// Code shared by all xsimd architectures. Include through simd/batch.hpp; the ISA's own file sets `arch`.
namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

template <class T>
using batch = xsimd::batch<T, arch>;

/// The bits of a batch<T> as unsigned integers: + − << >> & | apply to every lane.
template <class T>
using bits_t = integers<unsigned_like<T>, sizeof(batch<T>)>;
template <class T>
RIDGEPOINT_INLINE bits_t<T> to_bits(xsimd::batch<T, arch> x) noexcept {
  return __builtin_bit_cast(bits_t<T>, static_cast<typename batch<T>::register_type>(x));
}
template <class T>
RIDGEPOINT_INLINE batch<T> from_bits(bits_t<T> bits) noexcept {
  return __builtin_bit_cast(typename batch<T>::register_type, bits);
}

template <class T>
RIDGEPOINT_INLINE batch<T> load(const T* p) noexcept {
  return batch<T>::load_unaligned(p);
}
template <class T>
RIDGEPOINT_INLINE void store(T* p, batch<T> x) noexcept {
  x.store_unaligned(p);
}

/// The upper halves of the lanes of a register of float.
using upper_halves = integers<std::uint16_t, sizeof(batch<float>) / 2>;
RIDGEPOINT_INLINE batch<float> from_upper_halves(upper_halves halves) noexcept {
  return from_bits<float>(__builtin_convertvector(halves, bits_t<float>) << 16);
}
/// Rounds to nearest, ties to even; a NaN is made quiet.
RIDGEPOINT_INLINE upper_halves to_upper_halves(batch<float> x) noexcept {
  const bits_t<float> u = to_bits<float>(x), upper = u >> 16, rounded = (u + 0x7FFFU + (upper & 1U)) >> 16;
  const auto nan = __builtin_bit_cast(bits_t<float>, (u & 0x7FFFFFFFU) > 0x7F800000U);
  return __builtin_convertvector((nan & (upper | 0x40U)) | (~nan & rounded), upper_halves);
}
RIDGEPOINT_INLINE batch<float> load(const bfloat16* p) noexcept {
  upper_halves halves;
  std::memcpy(&halves, p, sizeof halves);
  return from_upper_halves(halves);
}
RIDGEPOINT_INLINE void store(bfloat16* p, batch<float> x) noexcept {
  const upper_halves halves = to_upper_halves(x);
  std::memcpy(static_cast<void*>(p), &halves, sizeof halves);
}
RIDGEPOINT_INLINE batch<float> load_partial(const bfloat16* p, index_t n) noexcept {
  upper_halves halves = {};
  std::memcpy(&halves, p, static_cast<std::size_t>(n) * sizeof(bfloat16));
  return from_upper_halves(halves);
}
RIDGEPOINT_INLINE void store_partial(bfloat16* p, batch<float> x, index_t n) noexcept {
  const upper_halves halves = to_upper_halves(x);
  std::memcpy(static_cast<void*>(p), &halves, static_cast<std::size_t>(n) * sizeof(bfloat16));
}

template <class T>
RIDGEPOINT_INLINE void hold(xsimd::batch<T, arch>& x) noexcept {
  asm("" : "+v"(x.data));
}
template <class T>
RIDGEPOINT_INLINE batch<T> select(typename batch<T>::batch_bool_type mask, batch<T> yes, batch<T> no) noexcept {
#if defined(__AVX__) && !defined(__AVX2__)
  // GCC 12 splits a 256-bit blend into single elements on ISAs without 256-bit integers.
  const auto bits = __builtin_bit_cast(bits_t<T>, static_cast<typename batch<T>::batch_bool_type::register_type>(mask));
  return from_bits<T>((bits & to_bits<T>(yes)) | (~bits & to_bits<T>(no)));
#else
  return xsimd::select(mask, yes, no);
#endif
}
template <class T>
RIDGEPOINT_INLINE bool any(typename batch<T>::batch_bool_type mask) noexcept {
  return xsimd::any(mask);
}
/// Sums all lanes, adding the upper half to the lower until one is left: the same order on every ISA. (On AVX-512 the
/// zero-masking forms: the plain ones and the casts warn about an uninitialised value inside GCC 12's header.)
RIDGEPOINT_INLINE float sum_of(__m128 x) noexcept {
  const __m128 two = _mm_add_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
RIDGEPOINT_INLINE double sum_of(__m128d x) noexcept { return _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x))); }
#if defined(__AVX__)
RIDGEPOINT_INLINE float sum_of(__m256 x) noexcept {
  return sum_of(_mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1)));
}
RIDGEPOINT_INLINE double sum_of(__m256d x) noexcept {
  return sum_of(_mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1)));
}
#endif
#if defined(__AVX512F__) && defined(__AVX512DQ__)
RIDGEPOINT_INLINE float sum_of(__m512 x) noexcept {
  return sum_of(_mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xFF, x, 0), _mm512_maskz_extractf32x8_ps(0xFF, x, 1)));
}
RIDGEPOINT_INLINE double sum_of(__m512d x) noexcept {
  return sum_of(_mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xF, x, 0), _mm512_maskz_extractf64x4_pd(0xF, x, 1)));
}
#endif
template <class T>
RIDGEPOINT_INLINE T sum(xsimd::batch<T, arch> x) noexcept {
  return sum_of(static_cast<typename batch<T>::register_type>(x));
}

#if defined(__AVX__)
/// Returns the register, or the 256-bit sum of the halves of a 512-bit one: the part that is left to sum.
RIDGEPOINT_INLINE __m256 in_256(__m256 x) noexcept { return x; }
RIDGEPOINT_INLINE __m256d in_256(__m256d x) noexcept { return x; }
#if defined(__AVX512F__) && defined(__AVX512DQ__)
RIDGEPOINT_INLINE __m256 in_256(__m512 x) noexcept {
  return _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xFF, x, 0), _mm512_maskz_extractf32x8_ps(0xFF, x, 1));
}
RIDGEPOINT_INLINE __m256d in_256(__m512d x) noexcept {
  return _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xF, x, 0), _mm512_maskz_extractf64x4_pd(0xF, x, 1));
}
#endif
/// out[i] ← the sum of x[i] for eight registers of float, four of double: added in the order of sum(), with three
/// instructions a sum instead of seven.
RIDGEPOINT_INLINE __m256 sums_of(const __m256* x) noexcept {
  __m256 r[4];  // x[i] and x[i + 4] in the two halves
  RIDGEPOINT_UNROLL
  for (int i = 0; i < 4; ++i)
    r[i] = _mm256_add_ps(_mm256_permute2f128_ps(x[i], x[i + 4], 0x20), _mm256_permute2f128_ps(x[i], x[i + 4], 0x31));
  RIDGEPOINT_UNROLL
  for (int i = 0; i < 4; i += 2)
    r[i] = _mm256_add_ps(_mm256_shuffle_ps(r[i], r[i + 1], 0x44), _mm256_shuffle_ps(r[i], r[i + 1], 0xEE));
  return _mm256_add_ps(_mm256_shuffle_ps(r[0], r[2], 0x88), _mm256_shuffle_ps(r[0], r[2], 0xDD));
}
RIDGEPOINT_INLINE __m256d sums_of(const __m256d* x) noexcept {
  const __m256d even =
      _mm256_add_pd(_mm256_permute2f128_pd(x[0], x[2], 0x20), _mm256_permute2f128_pd(x[0], x[2], 0x31));
  const __m256d odd = _mm256_add_pd(_mm256_permute2f128_pd(x[1], x[3], 0x20), _mm256_permute2f128_pd(x[1], x[3], 0x31));
  return _mm256_add_pd(_mm256_unpacklo_pd(even, odd), _mm256_unpackhi_pd(even, odd));
}
#if defined(__AVX512F__) && defined(__AVX512DQ__)
/// Sums sixteen registers of float, eight of double.
RIDGEPOINT_INLINE __m512 sums_of(const __m512* x) noexcept {
  const auto halves = [](__m512 a, __m512 b) RIDGEPOINT_INLINE_LAMBDA {  // 128-bit parts a0+a2, a1+a3, b0+b2, b1+b3
    return _mm512_add_ps(_mm512_maskz_shuffle_f32x4(0xFFFF, a, b, 0x44),
                         _mm512_maskz_shuffle_f32x4(0xFFFF, a, b, 0xEE));
  };
  __m512 r[4];  // x[i], x[i + 4], x[i + 8] and x[i + 12] in the four quarters
  RIDGEPOINT_UNROLL
  for (int i = 0; i < 4; ++i) {
    const __m512 low = halves(x[i], x[i + 4]), high = halves(x[i + 8], x[i + 12]);
    r[i] = _mm512_add_ps(_mm512_maskz_shuffle_f32x4(0xFFFF, low, high, 0x88),
                         _mm512_maskz_shuffle_f32x4(0xFFFF, low, high, 0xDD));
  }
  RIDGEPOINT_UNROLL
  for (int i = 0; i < 4; i += 2)
    r[i] = _mm512_add_ps(_mm512_maskz_shuffle_ps(0xFFFF, r[i], r[i + 1], 0x44),
                         _mm512_maskz_shuffle_ps(0xFFFF, r[i], r[i + 1], 0xEE));
  return _mm512_add_ps(_mm512_maskz_shuffle_ps(0xFFFF, r[0], r[2], 0x88),
                       _mm512_maskz_shuffle_ps(0xFFFF, r[0], r[2], 0xDD));
}
RIDGEPOINT_INLINE __m512d sums_of(const __m512d* x) noexcept {
  const auto halves = [](__m512d a, __m512d b) RIDGEPOINT_INLINE_LAMBDA {
    return _mm512_add_pd(_mm512_maskz_shuffle_f64x2(0xFF, a, b, 0x44), _mm512_maskz_shuffle_f64x2(0xFF, a, b, 0xEE));
  };
  __m512d r[2];  // x[i], x[i + 2], x[i + 4] and x[i + 6] in the four quarters
  RIDGEPOINT_UNROLL
  for (int i = 0; i < 2; ++i) {
    const __m512d low = halves(x[i], x[i + 2]), high = halves(x[i + 4], x[i + 6]);
    r[i] = _mm512_add_pd(_mm512_maskz_shuffle_f64x2(0xFF, low, high, 0x88),
                         _mm512_maskz_shuffle_f64x2(0xFF, low, high, 0xDD));
  }
  return _mm512_add_pd(_mm512_maskz_unpacklo_pd(0xFF, r[0], r[1]), _mm512_maskz_unpackhi_pd(0xFF, r[0], r[1]));
}
#endif
/// out[i] ← sum(x[i]) for i < N.
template <class T, int N>
RIDGEPOINT_INLINE void sums(const xsimd::batch<T, arch> (&x)[N], T* out) noexcept {
  constexpr bool in_halves = N * sizeof(T) <= 32;
  constexpr int group = (in_halves ? 32 : sizeof x[0]) / sizeof(T), padded = (N + group - 1) / group * group;
  const auto part_of = [](typename batch<T>::register_type whole) RIDGEPOINT_INLINE_LAMBDA {
    if constexpr (in_halves) return in_256(whole);
    else return whole;
  };
  decltype(part_of(x[0])) part[padded] = {};
  RIDGEPOINT_UNROLL
  for (int i = 0; i < N; ++i) part[i] = part_of(x[i]);
  T all[padded];
  RIDGEPOINT_UNROLL
  for (int g = 0; g < padded; g += group) {
    const auto some = sums_of(part + g);
    __builtin_memcpy(all + g, &some, sizeof some);
  }
  __builtin_memcpy(out, all, N * sizeof(T));
}
#else
template <class T, int N>
RIDGEPOINT_INLINE void sums(const xsimd::batch<T, arch> (&x)[N], T* out) noexcept {
  for (int i = 0; i < N; ++i) out[i] = sum<T>(x[i]);
}
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

#pragma GCC diagnostic pop

#include <ridgepoint/simd/isa/bytes.hpp>
