// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>

#include <ridgepoint/ops/window.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// What the results along one direction of an image read: result i < results reads source i·step + first + t·apart
/// through tap `tap` + t·tap_step of the filter, for t < count. Beside the sources there is zero.
struct tap_run {
  index_t results = 0, sources = 0;
  index_t step = 1, first = 0, apart = 1, count = 0;
  index_t tap = 0, tap_step = 1;

  [[nodiscard]] constexpr index_t source(index_t result, index_t t) const noexcept {
    return result * step + first + t * apart;
  }
  [[nodiscard]] constexpr index_t tap_of(index_t t) const noexcept { return tap + t * tap_step; }
  /// Whether result i reads source i and nothing else.
  [[nodiscard]] constexpr bool is_identity() const noexcept {
    return count == 1 && step == 1 && first == 0 && results == sources;
  }
};

/// Outputs from inputs: the forward pass.
[[nodiscard]] constexpr tap_run taps_forward(const window_axis& a) noexcept {
  return {.results = a.outputs(),
          .sources = a.extent,
          .step = a.stride,
          .first = -a.before,
          .apart = a.dilation,
          .count = a.taps};
}

/// Inputs phase, phase + stride, … from outputs: the gradient for the image. Tap k takes part where output
/// (phase + before − k·dilation) / stride is one: every (stride / gcd(stride, dilation))th tap, from the last one down.
[[nodiscard]] constexpr tap_run taps_backward(const window_axis& a, index_t phase) noexcept {
  const index_t common = std::gcd(a.stride, a.dilation), period = a.stride / common;
  tap_run run{.results = a.extent > phase ? ceil_div(a.extent - phase, a.stride) : 0,
              .sources = a.outputs(),
              .apart = a.dilation / common,
              .tap_step = -period};
  index_t lowest = 0;
  while (lowest < period && (phase + a.before - lowest * a.dilation) % a.stride != 0) ++lowest;
  if (lowest == period || lowest >= a.taps) return run;
  run.count = ceil_div(a.taps - lowest, period);
  run.tap = lowest + (run.count - 1) * period;
  run.first = (phase + a.before - run.tap * a.dilation) / a.stride;
  return run;
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
