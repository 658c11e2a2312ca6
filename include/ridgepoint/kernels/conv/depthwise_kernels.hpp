// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/kernels/gemm/tile_shape.hpp>
#include <ridgepoint/kernels/kernel.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>

/// \file
/// Kernels of depthwise_conv2d(), on rows [begin, end) of all images. A channel with several filters is treated as
/// several channels of equal values: in `memory`, rows of x are expanded to f channels as needed, and rows of dx are
/// summed back. Other convolutions do not need `memory`.
namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Treatment of padding. Zero times a weight is zero unless the weight is infinite or NaN.
enum class padding { adds_nothing, is_multiplied };

/// Adjacent pixels of a line that a pass computes together.
inline constexpr index_t depthwise_pixels = 4;
/// Pixels computed for a line of `count`: the last ones overlap the previous ones.
[[nodiscard]] constexpr index_t depthwise_computed(index_t count) noexcept {
  return count < depthwise_pixels ? count : round_up(count, depthwise_pixels);
}

template <class T>
struct all_finite {
  static constexpr auto id = kernel_id<T>("all_finite");
  [[nodiscard]] static bool run(const T* x, index_t n) noexcept;
};

/// memory: kh rows of f channels.
template <class T>
struct depthwise_rows {
  static constexpr auto id = kernel_id<T>("depthwise_rows");
  static void run(const depthwise_conv2d_args<T>& a, padding outside, stores how, T* memory, index_t begin,
                  index_t end) noexcept;
};

/// memory: a row of f channels.
template <class T>
struct depthwise_backward_data_rows {
  static constexpr auto id = kernel_id<T>("depthwise_backward_data_rows");
  static void run(const depthwise_conv2d_backward_data_args<T>& a, stores how, T* memory, index_t begin,
                  index_t end) noexcept;
};

/// Tiles of an image's outputs, sized so that one line of channels of their inputs fills half of L1. Inputs are read in
/// place if windows do not reach beyond the image, else from a copy.
struct depthwise_tiles {
  struct range {
    index_t begin, end;
  };
  static constexpr index_t most_columns = 36;
  window_axis down, across;
  range inside_h, inside_w;  // outputs with windows inside the image
  index_t rows = 1;          // maximum, of outputs
  bool copies;  // always copy: pixels share few L1 sets, channels have several filters, or one tile is an image

  /// Returns the tiles for elements of `size` bytes.
  [[nodiscard]] static depthwise_tiles of(const depthwise_geometry& g, index_t l1, index_t size) noexcept {
    depthwise_tiles t{.down = g.rows(),
                      .across = g.columns(),
                      .inside_h = inside(g.rows()),
                      .inside_w = inside(g.columns()),
                      .copies = g.multiplier > 1 || g.c * size % 1024 == 0};
    t.rows = std::max<index_t>(1, t.down.outputs());
    while (t.rows > 1 && t.elements(t.rows, 64 / size) > l1 / 2 / size) t.rows = ceil_div(t.rows, 2);
    const bool one_tile = t.rows >= t.down.outputs() && t.across.outputs() <= most_columns;
    t.copies = t.copies || (one_tile && t.down.stride == 1 && t.across.stride == 1);
    return t;
  }
  /// Elements of a copy.
  template <class T>
  [[nodiscard]] index_t copied() const noexcept {
    return elements(rows, line_elements<T>);
  }
  /// Number of inputs from the first window's start to the last window's end.
  [[nodiscard]] static index_t extent(const window_axis& line, index_t outputs) noexcept {
    return (outputs - 1) * line.stride + line.reach();
  }
  /// Returns the end of the outputs, from `output` on, that are inside, or outside, as `output` is.
  [[nodiscard]] static index_t end_of(index_t output, range on_image, index_t outputs) noexcept {
    return output < on_image.begin ? on_image.begin : output < on_image.end ? on_image.end : outputs;
  }
  /// Number of rows of outputs in a tile from `row` on, up to `most`.
  [[nodiscard]] index_t rows_at(index_t row, index_t most) const noexcept {
    const index_t end = copies ? down.outputs() : end_of(row, inside_h, down.outputs());
    return (std::min)({most, rows, end - row});
  }

 private:
  [[nodiscard]] static range inside(const window_axis& line) noexcept {
    const index_t outputs = line.outputs(), begin = (std::min)(outputs, ceil_div(line.before, line.stride)),
                  room = line.extent + line.before - line.reach();
    return {begin, room < 0 ? begin : std::clamp(room / line.stride + 1, begin, outputs)};
  }
  [[nodiscard]] index_t elements(index_t output_rows, index_t width) const noexcept {
    return extent(down, output_rows) * extent(across, (std::min)(most_columns, across.outputs())) * width;
  }
};

/// sums ← dw, followed by db if a has one, of rows [begin, end) of outputs. memory: t.copied<T>() elements.
template <class T>
struct depthwise_backward_weights_rows {
  static constexpr auto id = kernel_id<T>("depthwise_backward_weights_rows");
  static void run(const depthwise_conv2d_backward_weights_args<T>& a, const depthwise_tiles& t, T* memory,
                  index_t begin, index_t end, T* sums) noexcept;
};

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels

#if RIDGEPOINT_WITH_KERNELS
#include <ridgepoint/kernels/conv/depthwise.hpp>
#endif
