// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>

#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/kernels/pool/pool_kernels.hpp>
#include <ridgepoint/kernels/window/some_lanes.hpp>
#include <ridgepoint/kernels/window/taps.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/geometry.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Calls formula.run<Registers>(taps, at, c, lanes) for all channels of a line of pixels: `at` is the destination
/// pixel, c the first channel in the registers, lanes the elements they contain (some_lanes.hpp). A loop over taps
/// handles up to four registers, because it is short: 2x2.
///
/// If adjacent pixels have adjacent sources and formula treats all pixels equally, a line is processed as one pixel of
/// many channels. On the same condition a register holds several pixels of few channels.
template <class T, class Formula>
void pool_line(const Formula& formula, window_taps taps, tap_line line, index_t channels) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  const index_t pixel_channels = channels;
  if (formula.pixels_alike && line.step == 1 && line.pace == 1) channels *= line.count, line.count = 1;
  taps.columns = line.taps;
  const index_t pixels = formula.pixels_alike && channels < lanes ? lanes / channels : 1;
  for (index_t i = 0; i < line.count; i += pixels) {
    const index_t at = line.first + i * line.step;
    index_t c = 0;
    if (pixels > 1 && line.count > 1) {
      formula.template run<1>(taps, at, c,
                              packed_lanes{channels, (std::min)(pixels, line.count - i), line.pace * pixel_channels,
                                           line.step * pixel_channels});
    } else {
      for (; c + 4 * lanes <= channels; c += 4 * lanes) formula.template run<4>(taps, at, c, all_lanes{});
      if (c + 2 * lanes <= channels) {
        formula.template run<2>(taps, at, c, all_lanes{});
        c += 2 * lanes;
      }
      for (; c < channels; c += lanes)
        formula.template run<1>(taps, at, c, first_lanes{(std::min)(lanes, channels - c)});
    }
    taps.columns.source += pixels * line.pace;
  }
}

/// Stores registers of channels to their pixel, with non-temporal stores if `Stores` says so and registers are full.
template <stores Stores, class Lanes, class T, int Registers>
RIDGEPOINT_INLINE void store_tile(Lanes some, T* to, const simd::batch<T> (&x)[Registers]) noexcept {
  RIDGEPOINT_UNROLL
  for (int r = 0; r < Registers; ++r, to += simd::lanes<T>) {
    if constexpr (Stores == stores::streaming && std::same_as<Lanes, all_lanes>) simd::stream(to, x[r]);
    else some.store(to, x[r]);
  }
}

/// pool_line() for a full destination row of an image. `to` and `from`: pixels of the destination's and the sources'
/// images before this one.
struct pool_row {
  window_walk rows, columns;
  index_t width_to, width_from, taps_across, channels;

  template <class T, class Formula>
  void run(const Formula& formula, index_t to, index_t from, index_t row) const noexcept {
    const window_taps taps{.rows = rows.inside(row), .image = from, .width = width_from, .taps_across = taps_across};
    columns.for_each_line([&](tap_line line) {
      line.first += to + row * width_to;
      pool_line<T>(formula, taps, line, channels);
    });
  }
};

/// Number of taps of a window that a mean counts.
struct mean_count {
  mean_over over;
  index_t kh, kw;
  index_t padded_h, padded_w;  // end of the image and its padding

  [[nodiscard]] RIDGEPOINT_INLINE index_t of(const window_taps& taps) const noexcept {
    if (over == mean_over::image) return taps.count();
    const index_t top = taps.rows.source - taps.rows.tap, left = taps.columns.source - taps.columns.tap;
    return (std::min)(kh, padded_h - top) * (std::min)(kw, padded_w - left);
  }
};

/// y ← Σ x / count. Each row of a window is summed separately: an error of kh + kw roundings instead of kh·kw, which
/// matters if the window is the image.
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

/// dx ← Σ dy·share over the outputs whose windows cover the pixel; `shares` has one number per output of an image.
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

/// dx ← dy·share for windows of one share that tile the image, by outputs: each dy is read once, not once per pixel of
/// the window. Streaming requires a multiple of two registers of channels.
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

/// y ← the largest x in the window, the first of equal ones, or the last NaN; index ← its tap, if requested.
///
/// Values are selected by a mask, not by max(), which would lose a NaN or the order of signed zeros.
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

/// dx ← Σ dy of the outputs whose index is this pixel's tap: a gather, so every dx is written once, by one thread.
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

/// dx ← dy at each window's index, else 0, for windows that tile the image, by outputs: each dy and index is read once,
/// not once per pixel of the window. Requires a register of channels or more; streaming a multiple of two registers.
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

namespace detail {

/// Runs formula for all channels of output rows [begin, end) of all images.
template <class T, class Formula>
void pool_outputs(const pool2d_geometry& g, const Formula& formula, index_t begin, index_t end) noexcept {
  const pool_row row{
      window_walk::over_outputs(g.rows()), window_walk::over_outputs(g.columns()), g.ow(), g.w, g.kw, g.c};
  const index_t oh = g.oh(), outputs = oh * g.ow(), inputs = g.h * g.w;
  for (index_t i = begin; i < end; ++i) row.run<T>(formula, i / oh * outputs, i / oh * inputs, i % oh);
}
/// Runs formula for all channels of input rows [begin, end) of all images.
template <class T, class Formula>
void pool_inputs(const pool2d_geometry& g, const Formula& formula, index_t begin, index_t end) noexcept {
  const pool_row row{window_walk::over_inputs(g.rows()), window_walk::over_inputs(g.columns()), g.w, g.ow(), g.kw, g.c};
  const index_t outputs = g.oh() * g.ow(), inputs = g.h * g.w;
  for (index_t i = begin; i < end; ++i) row.run<T>(formula, i / g.h * inputs, i / g.h * outputs, i % g.h);
}
/// Calls run<stores>() as `how` specifies, or with cached stores if dx is not register-aligned.
template <class T, class Run>
RIDGEPOINT_INLINE void with_stores_to(const T* dx, stores how, const Run& run) noexcept {
  const bool aligned = reinterpret_cast<std::uintptr_t>(dx) % sizeof(simd::batch<T>) == 0;
  if (how == stores::cached || !aligned) return run.template operator()<stores::cached>();
  run.template operator()<stores::streaming>();
  simd::end_stream();
}

}  // namespace detail

template <class T>
void max_pool2d_rows<T>::run(const max_pool2d_args<T>& a, index_t begin, index_t end) noexcept {
  const pool2d_geometry& g = a.geometry;
  if (a.index == nullptr) detail::pool_outputs<T>(g, max_window<T, false>{a.x, a.y, nullptr, g.c}, begin, end);
  else detail::pool_outputs<T>(g, max_window<T, true>{a.x, a.y, a.index, g.c}, begin, end);
}
template <class T>
void max_pool2d_backward_rows<T>::run(const max_pool2d_backward_args<T>& a, index_t begin, index_t end) noexcept {
  detail::pool_inputs<T>(a.geometry, max_gradient<T>{a.dy, a.index, a.dx, a.geometry.c}, begin, end);
}
template <class T>
void max_pool2d_backward_tiles<T>::run(const max_pool2d_backward_args<T>& a, stores how, index_t begin,
                                       index_t end) noexcept {
  detail::with_stores_to(a.dx, how, [&]<stores Stores>() {
    const max_gradient_of_tiles<T, Stores> formula{a.dy, a.index, a.dx, a.geometry.c};
    detail::pool_outputs<T>(a.geometry, formula, begin, end);
  });
}

template <class T>
void avg_pool2d_rows<T>::run(const avg_pool2d_args<T>& a, index_t begin, index_t end) noexcept {
  const pool2d_geometry& g = a.geometry;
  const mean_count counted{a.over, g.kh, g.kw, g.h + g.padding.bottom, g.w + g.padding.right};
  detail::pool_outputs<T>(g, mean_window<T>{counted, a.x, a.y, g.c}, begin, end);
}
template <class T>
void avg_pool2d_backward_rows<T>::run(const avg_pool2d_backward_args<T>& a, const mean_shares<T>& by, index_t begin,
                                      index_t end) noexcept {
  detail::pool_inputs<T>(a.geometry, mean_gradient<T>{by.equal, a.dy, by.shares, a.dx, a.geometry.c}, begin, end);
}
template <class T>
void avg_pool2d_backward_tiles<T>::run(const avg_pool2d_backward_args<T>& a, T share, stores how, index_t begin,
                                       index_t end) noexcept {
  detail::with_stores_to(a.dx, how, [&]<stores Stores>() {
    const mean_gradient_of_tiles<T, Stores> formula{a.dy, share, a.dx, a.geometry.c};
    detail::pool_outputs<T>(a.geometry, formula, begin, end);
  });
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
