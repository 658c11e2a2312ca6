// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include <ridgepoint/kernels/pool/windows.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// y ← the largest x in the window, the first of equal ones, or the last NaN; index ← its tap, if wanted.
///
/// What is larger is taken by a mask, not by max(): that forgets a NaN or an order of zeros.
template <class T, bool Indexed>
struct max_window {
  static constexpr bool pixels_alike = true;
  using batch = simd::batch<T>;
  const T* x;
  T* y;
  std::uint8_t* index;
  index_t channels;

  template <int Registers, class Lanes>
  RIDGEPOINT_INLINE void run(const window_taps& taps, index_t at, index_t c, Lanes some) const noexcept {
    constexpr index_t lanes = simd::lanes<T>;
    batch best[Registers], best_tap[Registers];
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) {
      best[r] = batch(-std::numeric_limits<T>::infinity());
      best_tap[r] = batch(static_cast<T>(taps.rows.tap * taps.taps_across + taps.columns.tap));
    }
    taps.for_each([&](index_t pixel, index_t tap) RIDGEPOINT_INLINE_LAMBDA {
      const T* from = x + pixel * channels + c;
      const batch number(static_cast<T>(tap));
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r) {
        const batch value = some.load(from + r * lanes);
        // Not value != value: xsimd 8.1 compares a NaN as equal to itself on AVX and AVX-512.
        const auto taken = value > best[r] || !(value == value);
        best[r] = simd::select(taken, value, best[r]);
        if constexpr (Indexed) best_tap[r] = simd::select(taken, number, best_tap[r]);
      }
    });
    const index_t to = at * channels + c;
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) {
      some.store(y + to + r * lanes, best[r]);
      if constexpr (Indexed) some.store_bytes(index + to + r * lanes, best_tap[r]);
    }
  }
};

/// dx ← Σ dy of the outputs whose index names this pixel's tap: a gather, so that every dx is written once and none by
/// two threads.
template <class T>
struct max_gradient {
  static constexpr bool pixels_alike = true;
  using batch = simd::batch<T>;
  const T* dy;
  const std::uint8_t* index;
  T* dx;
  index_t channels;

  template <int Registers, class Lanes>
  RIDGEPOINT_INLINE void run(const window_taps& taps, index_t at, index_t c, Lanes some) const noexcept {
    constexpr index_t lanes = simd::lanes<T>;
    const batch zero(T(0));
    batch sum[Registers];
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) sum[r] = zero;
    taps.for_each([&](index_t pixel, index_t tap) RIDGEPOINT_INLINE_LAMBDA {
      const index_t from = pixel * channels + c;
      const batch number(static_cast<T>(tap));
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r) {
        const auto named = some.template load_bytes<T>(index + from + r * lanes) == number;
        sum[r] = sum[r] + simd::select(named, some.load(dy + from + r * lanes), zero);
      }
    });
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) some.store(dx + at * channels + c + r * lanes, sum[r]);
  }
};

/// The same for windows that tile the image, by outputs: each dy and index is read once, not for every pixel of the
/// window. Not for less than a register of channels; streaming only for a multiple of two.
template <class T, stores Stores>
struct max_gradient_of_tiles {
  static constexpr bool pixels_alike = false;
  using batch = simd::batch<T>;
  const T* dy;
  const std::uint8_t* index;
  T* dx;
  index_t channels;

  template <int Registers, class Lanes>
  RIDGEPOINT_INLINE void run(const window_taps& taps, index_t at, index_t c, Lanes some) const noexcept {
    constexpr index_t lanes = simd::lanes<T>;
    const batch zero(T(0));
    const index_t from = at * channels + c;
    batch value[Registers], named[Registers];
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) {
      value[r] = zero + some.load(dy + from + r * lanes);
      named[r] = some.template load_bytes<T>(index + from + r * lanes);
    }
    taps.for_each([&](index_t pixel, index_t tap) RIDGEPOINT_INLINE_LAMBDA {
      const batch number(static_cast<T>(tap));
      batch x[Registers];
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r) x[r] = simd::select(named[r] == number, value[r], zero);
      store_tile<Stores>(some, dx + pixel * channels + c, x);
    });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
