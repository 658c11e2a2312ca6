// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <ridgepoint/simd/batch.hpp>

/// \file
/// Folded lines: a register holds Fold short lines interleaved, element j of line q in lane j·Fold + q. A matrix with
/// at most lanes/Fold columns has Fold rows per register, so that one FMA does Fold steps in depth of its product.
namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// Register operations on folded lines, for the instruction sets where folding pays: those with arbitrary permutations
/// and masks.
///   repeat(p)              lane l ← p[l % Fold]
///   fma_last<N>(x, y, z)   x·y + z in the lanes of the last N lines, z elsewhere
///   load_lanes(p, l, n), store_lanes(p, x, l, n)   lanes l to l + n − 1 at p; nothing else is accessed
///   pick(x, y, where)      lane l ← x[where(l)], or y[where(l) − lanes]; where(l) is a compile-time constant
template <class T, int Fold>
struct folded {
  static constexpr bool pays = false;
};

#if defined(__AVX512F__) && defined(__AVX512DQ__)
template <class T, int Fold>
  requires(Fold == 2 || Fold == 4)
struct folded<T, Fold> {
  using vec = batch<T>;
  static constexpr bool pays = true;
  static constexpr int lanes = static_cast<int>(vec::size);

  // The zero-masking forms with a full mask: the plain ones warn about an uninitialised value inside GCC 12's header.
  RIDGEPOINT_INLINE static vec repeat(const T* p) noexcept {
    if constexpr (Fold * sizeof(T) == 8) {
      double both = 0;
      __builtin_memcpy(&both, p, sizeof both);
      return __builtin_bit_cast(__m512, _mm512_set1_pd(both));
    } else if constexpr (sizeof(T) == 4) return _mm512_maskz_broadcast_f32x4(0xFFFF, _mm_loadu_ps(p));
    else if constexpr (Fold == 2) return _mm512_maskz_broadcast_f64x2(0xFF, _mm_loadu_pd(p));
    else return _mm512_maskz_broadcast_f64x4(0xFF, _mm256_loadu_pd(p));
  }
  template <int N>
  RIDGEPOINT_INLINE static vec fma_last(vec x, vec y, vec z) noexcept {
    constexpr unsigned every = Fold == 2 ? 0x5555 : 0x1111, lines = ((1U << N) - 1) << (Fold - N);
    if constexpr (sizeof(T) == 4) return _mm512_mask3_fmadd_ps(x, y, z, static_cast<__mmask16>(every * lines));
    else return _mm512_mask3_fmadd_pd(x, y, z, static_cast<__mmask8>(every * lines));
  }
  RIDGEPOINT_INLINE static vec load_lanes(const T* p, int l, int n) noexcept {
    if constexpr (sizeof(T) == 4) return _mm512_maskz_loadu_ps(static_cast<__mmask16>(those(l, n)), p - l);
    else return _mm512_maskz_loadu_pd(static_cast<__mmask8>(those(l, n)), p - l);
  }
  RIDGEPOINT_INLINE static void store_lanes(T* p, vec x, int l, int n) noexcept {
    if constexpr (sizeof(T) == 4) _mm512_mask_storeu_ps(p - l, static_cast<__mmask16>(those(l, n)), x);
    else _mm512_mask_storeu_pd(p - l, static_cast<__mmask8>(those(l, n)), x);
  }
  template <class Where>
  RIDGEPOINT_INLINE static vec pick(vec x, vec y, Where) noexcept {
    return [&]<int... Lane>(std::integer_sequence<int, Lane...>) RIDGEPOINT_INLINE_LAMBDA {
      return vec(__builtin_shufflevector(x.data, y.data, Where{}(Lane)...));
    }
    (std::make_integer_sequence<int, lanes>{});
  }

 private:
  static constexpr unsigned those(int l, int n) noexcept { return ((1U << n) - 1U) << l; }
};
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd
