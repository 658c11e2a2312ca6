// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/pool/windows.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// How many taps of a window a mean counts.
struct mean_count {
  mean_over over;
  index_t kh, kw;
  index_t padded_h, padded_w;  // extents of the image and its padding behind

  [[nodiscard]] RIDGEPOINT_INLINE index_t of(const window_taps& taps) const noexcept {
    if (over == mean_over::image) return taps.count();
    const index_t top = taps.rows.source - taps.rows.tap, left = taps.columns.source - taps.columns.tap;
    return (std::min)(kh, padded_h - top) * (std::min)(kw, padded_w - left);
  }
};

/// y ← Σ x / what the mean counts. Rows of a window are summed apart: an error of kh + kw roundings, not of kh·kw,
/// which counts where the window is the image.
template <class T>
struct mean_window {
  static constexpr bool pixels_alike = true;
  using batch = simd::batch<T>;
  mean_count counted;
  const T* x;
  T* y;
  index_t channels;

  template <int Registers, class Lanes>
  RIDGEPOINT_INLINE void run(const window_taps& taps, index_t at, index_t c, Lanes some) const noexcept {
    constexpr index_t lanes = simd::lanes<T>;
    batch total[Registers];
    for (batch& t : total) t = batch(T(0));
    window_taps row = taps;
    row.rows.count = 1;
    for (index_t i = 0; i < taps.rows.count; ++i, row.rows.source += taps.rows.source_step) {
      batch sum[Registers];
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r) sum[r] = batch(T(0));
      row.for_each([&](index_t pixel, index_t) RIDGEPOINT_INLINE_LAMBDA {
        RIDGEPOINT_UNROLL
        for (int r = 0; r < Registers; ++r) sum[r] = sum[r] + some.load(x + pixel * channels + c + r * lanes);
      });
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r) total[r] = total[r] + sum[r];
    }
    const batch share(static_cast<T>(1.0 / static_cast<double>(counted.of(taps))));
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) some.store(y + at * channels + c + r * lanes, total[r] * share);
  }
};

/// dx ← Σ dy·share over the outputs whose windows cover the pixel; `shares` has one number for each output of an image.
template <class T>
struct mean_gradient {
  using batch = simd::batch<T>;
  bool pixels_alike;  // all shares are one number
  const T* dy;
  const T* shares;
  T* dx;
  index_t channels;

  template <int Registers, class Lanes>
  RIDGEPOINT_INLINE void run(const window_taps& taps, index_t at, index_t c, Lanes some) const noexcept {
    constexpr index_t lanes = simd::lanes<T>;
    batch sum[Registers];
    for (batch& s : sum) s = batch(T(0));
    taps.for_each([&](index_t pixel, index_t) RIDGEPOINT_INLINE_LAMBDA {
      const batch share(shares[pixel - taps.image]);
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r)
        sum[r] = simd::fma(some.load(dy + pixel * channels + c + r * lanes), share, sum[r]);
    });
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) some.store(dx + at * channels + c + r * lanes, sum[r]);
  }
};

/// The same for windows of one share that tile the image, by outputs: each dy is read once, not for every pixel of the
/// window. Streaming only for a multiple of two registers of channels.
template <class T, stores Stores>
struct mean_gradient_of_tiles {
  static constexpr bool pixels_alike = false;
  using batch = simd::batch<T>;
  const T* dy;
  T share;
  T* dx;
  index_t channels;

  template <int Registers, class Lanes>
  RIDGEPOINT_INLINE void run(const window_taps& taps, index_t at, index_t c, Lanes some) const noexcept {
    constexpr index_t lanes = simd::lanes<T>;
    batch value[Registers];
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) value[r] = some.load(dy + at * channels + c + r * lanes) * batch(share);
    taps.for_each([&](index_t pixel, index_t)
                      RIDGEPOINT_INLINE_LAMBDA { store_tile<Stores>(some, dx + pixel * channels + c, value); });
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
