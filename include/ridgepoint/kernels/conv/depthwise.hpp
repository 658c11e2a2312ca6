// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/window/some_lanes.hpp>
#include <ridgepoint/kernels/window/taps.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// What zero times a weight is: zero, unless the weight is infinite or NaN.
enum class padding { adds_nothing, is_multiplied };

/// to(pixel, c) ← bias(c) + Σ_taps from(source of the tap, c)·w(tap, c), channel by channel: a convolution seen from
/// its outputs, or its gradient seen from its inputs.
template <class T>
struct depthwise_pass {
  const T* from;
  const T* w;
  const T* bias;  // null: none
  T* to;
  index_t channels;
  index_t window_taps_all;  // of the whole window
  padding beside;

  /// A line of pixels. Four at a time: each weight that is loaded serves four pixels, and 4·2 sums hide the latency of
  /// their additions. The last four may overlap those before and write the same again.
  void line(window_taps taps, const tap_line& line) const noexcept {
    constexpr index_t together = 4;
    for (index_t i = 0; i < line.count;) {
      const bool four = line.count >= together;
      if (four) i = std::min(i, line.count - together);
      taps.columns = line.taps;
      taps.columns.source += i * line.pace;
      const index_t at = line.first + i * line.step;
      four ? pixels<together>(taps, line, at) : pixels<1>(taps, line, at);
      i += four ? together : 1;
    }
  }

 private:
  using batch = simd::batch<T>;
  static constexpr index_t lanes = simd::lanes<T>;

  template <int Pixels>
  RIDGEPOINT_INLINE void pixels(const window_taps& taps, const tap_line& line, index_t at) const noexcept {
    index_t c = 0;
    for (; c + 2 * lanes <= channels; c += 2 * lanes) tile<Pixels, 2>(taps, line, at, c, all_lanes{});
    for (; c < channels; c += lanes) tile<Pixels, 1>(taps, line, at, c, first_lanes{std::min(lanes, channels - c)});
  }

  template <int Pixels, int Registers, class Lanes>
  void tile(const window_taps& taps, const tap_line& line, index_t at, index_t c, Lanes some) const noexcept {
    batch start[Registers], last[Registers], sum[Pixels][Registers];
    for (batch& s : start) s = batch(T(0));
    if (beside == padding::is_multiplied) add_padding<Registers>(taps, c, some, start);
    RIDGEPOINT_UNROLL
    for (int p = 0; p < Pixels; ++p) RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) sum[p][r] = start[r];
    taps.for_each([&](index_t pixel, index_t tap) RIDGEPOINT_INLINE_LAMBDA {
      batch weight[Registers];
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r) weight[r] = some.load(w + tap * channels + c + r * lanes);
      const T* x = from + pixel * channels + c;
      RIDGEPOINT_UNROLL
      for (int p = 0; p < Pixels; ++p, x += line.pace * channels) RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r) sum[p][r] = simd::fma(some.load(x + r * lanes), weight[r], sum[p][r]);
    });
    RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) last[r] = bias == nullptr ? batch(T(0)) : some.load(bias + c + r * lanes);
    T* y = to + at * channels + c;
    RIDGEPOINT_UNROLL
    for (int p = 0; p < Pixels; ++p, y += line.step * channels) RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) some.store(y + r * lanes, sum[p][r] + last[r]);
  }

  /// Zero times the weights of the taps that have no source.
  template <int Registers, class Lanes>
  RIDGEPOINT_NOINLINE void add_padding(const window_taps& taps, index_t c, Lanes some, batch* start) const noexcept {
    for (index_t tap = 0; tap < window_taps_all; ++tap) {
      bool met = false;
      taps.for_each([&](index_t, index_t other) { met = met || other == tap; });
      if (met) continue;
      for (int r = 0; r < Registers; ++r)
        start[r] = simd::fma(batch(T(0)), some.load(w + tap * channels + c + r * lanes), start[r]);
    }
  }
};

/// Whether all n values are finite.
template <class T>
[[nodiscard]] bool all_finite(const T* x, index_t n) noexcept {
  constexpr index_t lanes = simd::lanes<T>;
  simd::batch<T> sum(T(0));
  for (index_t i = 0; i < n; i += lanes)
    sum = simd::fma(simd::batch<T>(T(0)), simd::load_partial(x + i, std::min(lanes, n - i)), sum);
  return simd::sum<T>(sum) == T(0);
}

/// Each of n values `multiplier` times, side by side; and back, their sums.
template <class T>
void spread_channels(const T* x, index_t n, index_t multiplier, T* to) noexcept {
  for (index_t i = 0; i < n; ++i)
    for (index_t m = 0; m < multiplier; ++m) *to++ = x[i];
}
template <class T>
void fold_channels(const T* x, index_t n, index_t multiplier, T* to) noexcept {
  for (index_t i = 0; i < n; ++i) {
    T sum(0);
    for (index_t m = 0; m < multiplier; ++m) sum += *x++;
    to[i] = sum;
  }
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
