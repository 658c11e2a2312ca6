// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/kernels/window/taps.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// What the results along one direction of an image read that meet the same taps: result i < results reads source
/// i·step + taps.source + t·taps.source_step through tap taps.tap + t·taps.tap_step, for t < taps.count. Beside the
/// sources there is zero.
struct tap_grid {
  index_t results = 0, sources = 0, step = 1;
  tap_run taps = {};

  [[nodiscard]] constexpr index_t source(index_t result, index_t t) const noexcept {
    return result * step + taps.source + t * taps.source_step;
  }
  [[nodiscard]] constexpr index_t tap_of(index_t t) const noexcept { return taps.tap + t * taps.tap_step; }
  /// Whether result i reads source i and nothing else.
  [[nodiscard]] constexpr bool is_identity() const noexcept {
    return taps.count == 1 && step == 1 && taps.source == 0 && results == sources;
  }
};

/// Outputs from inputs: the forward pass.
[[nodiscard]] constexpr tap_grid taps_forward(const window_axis& a) noexcept {
  return {a.outputs(), a.extent, a.stride, window_walk::over_outputs(a).all(0)};
}
/// Inputs phase, phase + stride, … from outputs: the gradient for the image.
[[nodiscard]] constexpr tap_grid taps_backward(const window_axis& a, index_t phase) noexcept {
  return {a.extent > phase ? ceil_div(a.extent - phase, a.stride) : 0, a.outputs(), 1,
          window_walk::over_inputs(a).all(phase)};
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
