// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/window/some_lanes.hpp>
#include <ridgepoint/ops/window.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// dw(tap, c) ← dw(tap, c) + Σ_o x(input of the tap, c)·dy(o, c) for one row of outputs and one row of taps, x being
/// zero beside the image; db(c) ← db(c) + Σ_o dy(o, c).
///
/// Three neighbouring taps share each dy that is loaded, and their sums stay in registers for the row.
template <class T>
struct depthwise_weights_row {
  window_axis columns;
  const T* x;   // the row of the image, or null beside it
  const T* dy;  // the row of outputs
  index_t channels;

  void add_to(T* dw) const noexcept {
    index_t tap = 0;
    for (; tap + 3 <= columns.taps; tap += 3) over_channels<3>(dw, tap);
    for (; tap < columns.taps; ++tap) over_channels<1>(dw, tap);
  }
  void add_to_bias(T* db) const noexcept {
    for (index_t c = 0; c < channels; c += lanes) {
      const first_lanes some{std::min(lanes, channels - c)};
      batch sum(T(0));
      for (index_t o = 0; o < columns.outputs(); ++o) sum = sum + some.load(dy + o * channels + c);
      some.store(db + c, some.load(db + c) + sum);
    }
  }

 private:
  using batch = simd::batch<T>;
  static constexpr index_t lanes = simd::lanes<T>;
  static constexpr int wide = 2;  // registers of channels: 3·2 sums hide the latency of their additions

  template <int Taps>
  void over_channels(T* dw, index_t tap) const noexcept {
    index_t c = 0;
    for (; c + wide * lanes <= channels; c += wide * lanes) taps<Taps, wide>(dw, tap, c, all_lanes{});
    for (; c < channels; c += lanes) taps<Taps, 1>(dw, tap, c, first_lanes{std::min(lanes, channels - c)});
  }

  template <int Taps, int Registers, class Lanes>
  void taps(T* dw, index_t tap, index_t c, Lanes some) const noexcept {
    batch sum[Taps][Registers];
    for (auto& registers : sum)
      for (batch& s : registers) s = batch(T(0));
    // Outputs [begin, end) have all these taps on the image.
    const index_t outputs = columns.outputs(), low = columns.input(0, tap), high = columns.input(0, tap + Taps - 1);
    index_t begin = outputs, end = outputs;
    if (x != nullptr) {
      begin = low >= 0 ? 0 : std::min(outputs, ceil_div(-low, columns.stride));
      end =
          high >= columns.extent ? begin : std::clamp((columns.extent - 1 - high) / columns.stride + 1, begin, outputs);
    }
    const auto output = [&](index_t o, const auto& value) RIDGEPOINT_INLINE_LAMBDA {
      batch gradient[Registers];
      RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r) gradient[r] = some.load(dy + o * channels + c + r * lanes);
      RIDGEPOINT_UNROLL
      for (int t = 0; t < Taps; ++t) RIDGEPOINT_UNROLL
      for (int r = 0; r < Registers; ++r) sum[t][r] = simd::fma(value(t, r), gradient[r], sum[t][r]);
    };
    const auto edge = [&](index_t o) {
      output(o, [&](int t, int r) {
        const index_t at = columns.input(o, tap + t);
        return x != nullptr && columns.inside(at) ? some.load(x + at * channels + c + r * lanes) : batch(T(0));
      });
    };
    for (index_t o = 0; o < begin; ++o) edge(o);
    const index_t apart = columns.dilation * channels;
    for (index_t o = begin; o < end; ++o) {
      const T* first = x + columns.input(o, tap) * channels + c;
      output(o, [&](int t, int r) RIDGEPOINT_INLINE_LAMBDA { return some.load(first + t * apart + r * lanes); });
    }
    for (index_t o = end; o < outputs; ++o) edge(o);
    RIDGEPOINT_UNROLL
    for (int t = 0; t < Taps; ++t) RIDGEPOINT_UNROLL
    for (int r = 0; r < Registers; ++r) {
      T* to = dw + (tap + t) * channels + c + r * lanes;
      some.store(to, some.load(to) + sum[t][r]);
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
