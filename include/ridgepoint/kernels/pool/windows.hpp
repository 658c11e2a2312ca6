// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>

#include <ridgepoint/kernels/stores.hpp>
#include <ridgepoint/kernels/window/some_lanes.hpp>
#include <ridgepoint/kernels/window/taps.hpp>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // extents of register tiles are ints

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// formula.run<Registers>(taps, at, c, lanes) for all channels of a line of pixels: `at` is the destination pixel, c
/// its first channel in the registers, lanes which elements they have (some_lanes.hpp). A loop over taps serves up to
/// four registers, since it has few of them: 2x2.
///
/// Where neighbours have neighbours as sources, a line is one pixel of many channels, if formula takes pixels alike. A
/// register holds several pixels of few channels, on the same condition.
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

/// Registers of channels to their pixel, past the caches where they are whole and that is told.
template <stores Stores, class Lanes, class T, int Registers>
RIDGEPOINT_INLINE void store_tile(Lanes some, T* to, const simd::batch<T> (&x)[Registers]) noexcept {
  RIDGEPOINT_UNROLL
  for (int r = 0; r < Registers; ++r, to += simd::lanes<T>) {
    if constexpr (Stores == stores::streaming && std::same_as<Lanes, all_lanes>) simd::stream(to, x[r]);
    else some.store(to, x[r]);
  }
}

/// pool_line() for the whole destination row of an image. `to` and `from`: pixels of the destination's and the sources'
/// image before this one's.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#pragma GCC diagnostic pop
