// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <ridgepoint/simd/batch.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // numbers of lines and lanes are ints

/// \file
/// Folded lines: a register holds Fold short lines interleaved, element j of line q in lane j·Fold + q. A matrix with
/// at most lanes/Fold columns has Fold rows per register, so that one FMA does Fold steps in depth of its product.
namespace ridgepoint::inline RIDGEPOINT_ABI::simd {

/// Register operations on folded lines, for the instruction sets where folding pays: those with arbitrary permutations
/// and masks.
///   repeat(p)              lane l ← p[l % Fold]
///   repeat_first(p, n)     likewise for 0 < n < Fold, with 0 for p[n] to p[Fold − 1], which are not read
///   place(x, folded_places(n))   lane j·Fold + q ← x[q·n + j]: dense lines of n ≤ lanes/Fold elements, folded
///   spread(x, spread_places(n), n)   lane j·Fold + q ← x[j·n + q], or 0 if q ≥ n: dense lines of n ≤ Fold elements
///   add_lines(x)           lane r·lanes/Fold + j ← the sum over q of x[r]'s element j of line q, for Fold registers
///   fma_last<N>(x, y, z)   x·y + z in the lanes of the last N lines, z elsewhere
///   load_lanes(p, l, n), store_lanes(p, x, l, n)   lanes l to l + n − 1 at p; nothing else is accessed
///   pick(x, y, where)      lane l ← x[where(l)], or y[where(l) − lanes]; where(l) is a compile-time constant
template <class T, int Fold>
struct folded {
  static constexpr bool pays = false;
};

/// Columns of a row-major matrix, one register of `lanes` rows each, for the instruction sets where that pays: those
/// that multiply a register by a value in memory. `width` adjacent columns at a time, exchanged within 128 bits.
///   load(p, ld, x)             x[q], lane i ← p[i·ld + q]
///   load_first(p, ld, n, x)    likewise for q < n, 0 < n < width; the others are 0
///   store(p, ld, n, x)         p[i·ld + q] ← x[q], lane i, for q < n, 0 < n ≤ width; x is overwritten
template <class T>
struct columns {
  static constexpr bool pays = false;
};

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
template <class T>
  requires(sizeof(T) >= 4)
struct columns<T> {
  using vec = batch<T>;
  static constexpr bool pays = true;
  static constexpr int width = 16 / static_cast<int>(sizeof(T));

  RIDGEPOINT_INLINE static void load(const T* p, index_t ld, vec (&x)[width]) noexcept {
    load_rows(p, ld, x, [](const T* row) RIDGEPOINT_INLINE_LAMBDA {
      if constexpr (sizeof(T) == 4) return _mm_loadu_ps(row);
      else return _mm_loadu_pd(row);
    });
  }
  RIDGEPOINT_INLINE static void load_first(const T* p, index_t ld, index_t n, vec (&x)[width]) noexcept {
    const auto mask = static_cast<__mmask8>((1U << n) - 1U);
    load_rows(p, ld, x, [=](const T* row) RIDGEPOINT_INLINE_LAMBDA {
      if constexpr (sizeof(T) == 4) return _mm_maskz_loadu_ps(mask, row);
      else return _mm_maskz_loadu_pd(mask, row);
    });
  }
  RIDGEPOINT_INLINE static void store(T* p, index_t ld, int n, vec (&x)[width]) noexcept {
    exchange(x);
    // No masked stores: GCC merges them with the extraction into an instruction that faults on masked addresses.
    const auto quarter = [&]<int Lane>() RIDGEPOINT_INLINE_LAMBDA {
      RIDGEPOINT_UNROLL
      for (int row = 0; row < width; ++row, p = next_line(p, ld)) {
        if constexpr (sizeof(T) == 4) {
          const __m128 part = _mm512_maskz_extractf32x4_ps(0xF, x[row], Lane);
          __builtin_memcpy(p, &part, static_cast<std::size_t>(n) * sizeof(T));
        } else {
          const __m128d part = _mm512_maskz_extractf64x2_pd(0x3, x[row], Lane);
          __builtin_memcpy(p, &part, static_cast<std::size_t>(n) * sizeof(T));
        }
      }
    };
    quarter.template operator()<0>();
    quarter.template operator()<1>();
    quarter.template operator()<2>();
    quarter.template operator()<3>();
  }

 private:
  /// x[e], quarter l ← part(row l·width + e), then exchanged.
  template <class Part>
  RIDGEPOINT_INLINE static void load_rows(const T* p, index_t ld, vec (&x)[width], Part part) noexcept {
    const T *second = p + width * ld, *third = second + width * ld, *fourth = third + width * ld;
    RIDGEPOINT_UNROLL
    for (int row = 0; row < width; ++row) {
      const index_t at = row * ld;
      if constexpr (sizeof(T) == 4) {
        __m512 all = _mm512_maskz_broadcast_f32x4(0xFFFF, part(p + at));
        all = _mm512_mask_broadcast_f32x4(all, 0x00F0, part(second + at));
        all = _mm512_mask_broadcast_f32x4(all, 0x0F00, part(third + at));
        x[row] = _mm512_mask_broadcast_f32x4(all, 0xF000, part(fourth + at));
      } else {
        __m512d all = _mm512_maskz_broadcast_f64x2(0xFF, part(p + at));
        all = _mm512_mask_broadcast_f64x2(all, 0x0C, part(second + at));
        all = _mm512_mask_broadcast_f64x2(all, 0x30, part(third + at));
        x[row] = _mm512_mask_broadcast_f64x2(all, 0xC0, part(fourth + at));
      }
    }
    exchange(x);
  }
  /// Transposes the width × width values in each quarter of the registers.
  RIDGEPOINT_INLINE static void exchange(vec (&x)[width]) noexcept {
    const auto low = [](__m512d a, __m512d b) RIDGEPOINT_INLINE_LAMBDA { return _mm512_maskz_unpacklo_pd(0xFF, a, b); };
    const auto high = [](__m512d a, __m512d b)
                          RIDGEPOINT_INLINE_LAMBDA { return _mm512_maskz_unpackhi_pd(0xFF, a, b); };
    if constexpr (sizeof(T) == 4) {
      const __m512d low01 = _mm512_castps_pd(_mm512_maskz_unpacklo_ps(0xFFFF, x[0], x[1])),
                    high01 = _mm512_castps_pd(_mm512_maskz_unpackhi_ps(0xFFFF, x[0], x[1])),
                    low23 = _mm512_castps_pd(_mm512_maskz_unpacklo_ps(0xFFFF, x[2], x[3])),
                    high23 = _mm512_castps_pd(_mm512_maskz_unpackhi_ps(0xFFFF, x[2], x[3]));
      x[0] = _mm512_castpd_ps(low(low01, low23)), x[1] = _mm512_castpd_ps(high(low01, low23));
      x[2] = _mm512_castpd_ps(low(high01, high23)), x[3] = _mm512_castpd_ps(high(high01, high23));
    } else {
      const __m512d first = x[0];
      x[0] = low(first, x[1]), x[1] = high(first, x[1]);
    }
  }
};

template <class T, int Fold>
  requires(Fold == 2 || Fold == 4 || (Fold == 8 && sizeof(T) == 4))
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
    } else if constexpr (Fold == 8) return _mm512_maskz_broadcast_f32x8(0xFFFF, _mm256_loadu_ps(p));
    else if constexpr (sizeof(T) == 4) return _mm512_maskz_broadcast_f32x4(0xFFFF, _mm_loadu_ps(p));
    else if constexpr (Fold == 2) return _mm512_maskz_broadcast_f64x2(0xFF, _mm_loadu_pd(p));
    else return _mm512_maskz_broadcast_f64x4(0xFF, _mm256_loadu_pd(p));
  }
  RIDGEPOINT_INLINE static vec repeat_first(const T* p, index_t n) noexcept {
    const auto mask = static_cast<__mmask8>((1U << n) - 1U);
    if constexpr (Fold * sizeof(T) == 8) return _mm512_maskz_broadcastss_ps(0x5555, _mm_set_ss(*p));
    else if constexpr (Fold == 8) return _mm512_maskz_broadcast_f32x8(0xFFFF, _mm256_maskz_loadu_ps(mask, p));
    else if constexpr (sizeof(T) == 4) return _mm512_maskz_broadcast_f32x4(0xFFFF, _mm_maskz_loadu_ps(mask, p));
    else if constexpr (Fold == 2) return _mm512_maskz_broadcast_f64x2(0xFF, _mm_maskz_loadu_pd(mask, p));
    else return _mm512_maskz_broadcast_f64x4(0xFF, _mm256_maskz_loadu_pd(mask, p));
  }
  using places = __m512i;
  RIDGEPOINT_INLINE static places folded_places(index_t n) noexcept {
    return places_at(
        n, [](int lane) { return lane % Fold; }, [](int lane) { return lane / Fold; });
  }
  RIDGEPOINT_INLINE static places spread_places(index_t n) noexcept {
    return places_at(
        n, [](int lane) { return lane / Fold; }, [](int lane) { return lane % Fold; });
  }
  RIDGEPOINT_INLINE static vec place(vec x, places at) noexcept { return place_some(x, at, first_lines(Fold)); }
  RIDGEPOINT_INLINE static vec spread(vec x, places at, index_t n) noexcept {
    return place_some(x, at, first_lines(n));
  }
  RIDGEPOINT_INLINE static vec add_lines(const vec (&x)[Fold]) noexcept {
    const auto pairs = [](vec a, vec b) RIDGEPOINT_INLINE_LAMBDA {  // sums of adjacent lanes, of a and then of b
      return pick(a, b, [](int lane) { return 2 * lane; }) + pick(a, b, [](int lane) { return 2 * lane + 1; });
    };
    vec sum[Fold];
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Fold; ++r) sum[r] = x[r];
    RIDGEPOINT_UNROLL
    for (int left = Fold; left > 1; left /= 2) {
      RIDGEPOINT_UNROLL
      for (int r = 0; r < left / 2; ++r) sum[r] = pairs(sum[2 * r], sum[2 * r + 1]);
    }
    return sum[0];
  }
  template <int N>
  RIDGEPOINT_INLINE static vec fma_last(vec x, vec y, vec z) noexcept {
    constexpr unsigned mask = first_lines(N) << (Fold - N);
    if constexpr (sizeof(T) == 4) return _mm512_mask3_fmadd_ps(x, y, z, static_cast<__mmask16>(mask));
    else return _mm512_mask3_fmadd_pd(x, y, z, static_cast<__mmask8>(mask));
  }
  RIDGEPOINT_INLINE static vec load_lanes(const T* p, int l, int n) noexcept {
    if constexpr (sizeof(T) == 4) return _mm512_maskz_loadu_ps(static_cast<__mmask16>(lane_mask(l, n)), p - l);
    else return _mm512_maskz_loadu_pd(static_cast<__mmask8>(lane_mask(l, n)), p - l);
  }
  RIDGEPOINT_INLINE static void store_lanes(T* p, vec x, int l, int n) noexcept {
    if constexpr (sizeof(T) == 4) _mm512_mask_storeu_ps(p - l, static_cast<__mmask16>(lane_mask(l, n)), x);
    else _mm512_mask_storeu_pd(p - l, static_cast<__mmask8>(lane_mask(l, n)), x);
  }
  template <class Where>
  RIDGEPOINT_INLINE static vec pick(vec x, vec y, Where) noexcept {
    return [&]<int... Lane>(std::integer_sequence<int, Lane...>) RIDGEPOINT_INLINE_LAMBDA {
      return vec(__builtin_shufflevector(x.data, y.data, Where{}(Lane)...));
    }
    (std::make_integer_sequence<int, lanes>{});
  }

 private:
  static constexpr unsigned lane_mask(int l, int n) noexcept { return ((1U << n) - 1U) << l; }
  /// Mask of the lanes of the first n lines.
  static constexpr unsigned first_lines(index_t n) noexcept {
    return (Fold == 2 ? 0x5555U : Fold == 4 ? 0x1111U : 0x0101U) * ((1U << n) - 1U);
  }
  /// lane l ← line(l)·n + element(l)
  template <class Line, class Element>
  RIDGEPOINT_INLINE static places places_at(index_t n, Line, Element) noexcept {
    using number = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using numbers [[gnu::vector_size(64)]] = number;
    return [&]<int... Lane>(std::integer_sequence<int, Lane...>) RIDGEPOINT_INLINE_LAMBDA {
      constexpr numbers line = {Line{}(Lane)...}, element = {Element{}(Lane)...};
      return reinterpret_cast<places>(line * static_cast<number>(n) + element);
    }
    (std::make_integer_sequence<int, lanes>{});
  }
  RIDGEPOINT_INLINE static vec place_some(vec x, places at, unsigned mask) noexcept {
    if constexpr (sizeof(T) == 4) return _mm512_maskz_permutexvar_ps(static_cast<__mmask16>(mask), at, x);
    else return _mm512_maskz_permutexvar_pd(static_cast<__mmask8>(mask), at, x);
  }
};
#endif

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::simd

#pragma GCC diagnostic pop
