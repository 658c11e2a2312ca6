// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/window/taps.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Mapping of results to sources along one direction of an image, for results that use the same taps: result i <
/// results reads source i·step + taps.source + t·taps.source_step through tap taps.tap + t·taps.tap_step, for t <
/// taps.count. Outside the sources the value is zero.
struct tap_grid {
  index_t results = 0, sources = 0, step = 1;
  tap_run taps = {};

  [[nodiscard]] constexpr index_t source(index_t result, index_t t) const noexcept {
    return result * step + taps.source + t * taps.source_step;
  }
  [[nodiscard]] constexpr index_t tap_of(index_t t) const noexcept { return taps.tap + t * taps.tap_step; }
  /// Whether result i reads only source i.
  [[nodiscard]] constexpr bool is_identity() const noexcept {
    return taps.count == 1 && step == 1 && taps.source == 0 && results == sources;
  }
};

/// Returns the mapping from outputs to inputs: the forward pass.
[[nodiscard]] constexpr tap_grid taps_forward(const window_axis& a) noexcept {
  return {a.outputs(), a.extent, a.stride, window_walk::over_outputs(a).all(0)};
}
/// Returns the mapping from inputs phase, phase + stride, … to outputs: the image gradient.
[[nodiscard]] constexpr tap_grid taps_backward(const window_axis& a, index_t phase) noexcept {
  return {a.extent > phase ? ceil_div(a.extent - phase, a.stride) : 0, a.outputs(), 1,
          window_walk::over_inputs(a).all(phase)};
}

/// Matrix whose product with a filter is a convolution (im2col): a row per result pixel (image, row, column),
/// containing the inputs of its taps (tap row, tap column, channel), zero outside the image.
template <class T>
struct patches {
  const T* image = nullptr;  // (images, rows.sources, columns.sources, channels)
  index_t images = 0, channels = 0;
  tap_grid rows, columns;
  index_t pixel = channels;  // elements from one pixel to the next: more if only some channels are used

  [[nodiscard]] constexpr index_t pixels() const noexcept { return images * rows.results * columns.results; }
  [[nodiscard]] constexpr index_t depth() const noexcept { return rows.taps.count * columns.taps.count * channels; }
  /// Whether pixels are adjacent, with all channels in use.
  [[nodiscard]] constexpr bool is_dense() const noexcept { return pixel == channels; }
  /// Whether the image itself is this matrix.
  [[nodiscard]] constexpr bool are_in_place() const noexcept { return rows.is_identity() && columns.is_identity(); }
};

enum class conv_direction { forward, backward };

/// Row of results: all its pixels use the same taps in a forward pass, every stride-th pixel in an image gradient.
struct result_line {
  window_axis axis;
  conv_direction direction;

  [[nodiscard]] bool is_forward() const noexcept { return direction == conv_direction::forward; }
  [[nodiscard]] index_t phases() const noexcept { return is_forward() ? 1 : axis.stride; }
  [[nodiscard]] index_t pixels() const noexcept { return is_forward() ? axis.outputs() : axis.extent; }
  [[nodiscard]] tap_grid of_phase(index_t phase) const noexcept {
    return is_forward() ? taps_forward(axis) : taps_backward(axis, phase);
  }
  /// Calls use(pixel, source, tap) for the first `count` pixels.
  template <class Use>
  void for_taps(index_t count, const Use& use) const noexcept {
    for (index_t phase = 0; phase < phases(); ++phase) {
      const tap_grid grid = of_phase(phase);
      for (index_t pixel = phase; pixel < count; pixel += phases())
        for (index_t t = 0; t < grid.taps.count; ++t) use(pixel, grid.source(pixel / phases(), t), grid.tap_of(t));
    }
  }
};

/// Sources [first, last) that some adjacent pixels of a row read; each pixel reads some of them, each through one tap.
struct joined_window {
  index_t first = 0, last = 0;

  joined_window(const result_line& line, index_t pixels) noexcept { add(line, 0, pixels); }
  /// Adds pixels [begin, end) to the previous ones. Requires: both at the first of all phases, or at the row's end.
  void add(const result_line& line, index_t begin, index_t end) noexcept {
    const index_t phases = line.phases();
    for (index_t phase = 0; phase < phases; ++phase) {
      const tap_grid grid = line.of_phase(phase);
      if (grid.taps.count == 0 || begin + phase >= end) continue;
      const index_t low = grid.source(begin / phases, 0),
                    high = grid.source((end - 1 - phase) / phases, grid.taps.count - 1) + 1;
      const bool any = first < last;
      first = any ? (std::min)(first, low) : low, last = any ? (std::max)(last, high) : high;
    }
  }
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
