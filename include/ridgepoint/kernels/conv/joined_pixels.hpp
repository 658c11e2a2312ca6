// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/conv/tap_grid.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

enum class conv_direction { forward, backward };

/// A row of results: all its pixels meet the same taps in a forward pass, every stride-th in a gradient for the image.
struct result_line {
  window_axis axis;
  conv_direction direction;

  [[nodiscard]] bool is_forward() const noexcept { return direction == conv_direction::forward; }
  [[nodiscard]] index_t phases() const noexcept { return is_forward() ? 1 : axis.stride; }
  [[nodiscard]] index_t pixels() const noexcept { return is_forward() ? axis.outputs() : axis.extent; }
  [[nodiscard]] tap_grid of_phase(index_t phase) const noexcept {
    return is_forward() ? taps_forward(axis) : taps_backward(axis, phase);
  }
  /// use(pixel, source, tap) for the first pixels.
  template <class Use>
  void for_taps(index_t count, const Use& use) const noexcept {
    for (index_t phase = 0; phase < phases(); ++phase) {
      const tap_grid grid = of_phase(phase);
      for (index_t pixel = phase; pixel < count; pixel += phases())
        for (index_t t = 0; t < grid.taps.count; ++t) use(pixel, grid.source(pixel / phases(), t), grid.tap_of(t));
    }
  }
};

/// The sources that some adjacent pixels of a row read: [first, last), of which pixel i meets some, each through one
/// tap.
struct joined_window {
  index_t first = 0, last = 0;

  joined_window(const result_line& line, index_t pixels) noexcept { add(line, 0, pixels); }
  /// Lets pixels [begin, end) join those before. Requires: both at the beginning of all phases, or at the row's end.
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
