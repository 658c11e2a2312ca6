// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/conv2d_geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Extents of a depthwise 2-D convolution with `multiplier` filters for every channel: x (n, h, w, c),
/// filter (kh, kw, c, multiplier), y (n, oh(), ow(), f()); output channel c·multiplier + m reads channel c.
struct depthwise_geometry {
  index_t n = 1, h = 1, w = 1, c = 1, multiplier = 1, kh = 1, kw = 1;
  spatial stride = 1;
  padding2d padding = {};
  spatial dilation = 1;

  [[nodiscard]] constexpr window_axis rows() const noexcept {
    return {h, kh, stride.h, padding.top, padding.bottom, dilation.h};
  }
  [[nodiscard]] constexpr window_axis columns() const noexcept {
    return {w, kw, stride.w, padding.left, padding.right, dilation.w};
  }
  [[nodiscard]] constexpr index_t oh() const { return rows().outputs(); }
  [[nodiscard]] constexpr index_t ow() const { return columns().outputs(); }
  [[nodiscard]] constexpr index_t f() const noexcept { return c * multiplier; }

  /// Elements of x, the filter and y.
  [[nodiscard]] constexpr index_t input_size() const noexcept { return n * h * w * c; }
  [[nodiscard]] constexpr index_t filter_size() const noexcept { return kh * kw * f(); }
  [[nodiscard]] constexpr index_t output_size() const { return n * oh() * ow() * f(); }
  /// Returns the elements of x that windows touch.
  [[nodiscard]] constexpr index_t input_read() const { return n * rows().inputs_read() * columns().inputs_read() * c; }
  /// Returns the multiply-adds of one pass including taps on padding, as in published totals.
  [[nodiscard]] constexpr index_t macs() const { return output_size() * kh * kw; }
  /// Returns the multiply-adds of one pass whose input is inside the image.
  [[nodiscard]] constexpr index_t unpadded_macs() const {
    return n * rows().taps_inside() * columns().taps_inside() * f();
  }
  friend constexpr bool operator==(const depthwise_geometry&, const depthwise_geometry&) = default;
};

namespace detail {
/// Returns the convolution over the same windows from c to f channels.
[[nodiscard]] constexpr conv2d_geometry with_channels(const depthwise_geometry& g, index_t c, index_t f) noexcept {
  return {.n = g.n,
          .h = g.h,
          .w = g.w,
          .c = c,
          .f = f,
          .kh = g.kh,
          .kw = g.kw,
          .stride = g.stride,
          .padding = g.padding,
          .dilation = g.dilation};
}
}  // namespace detail

/// Formats as "128x112x112x32 * 3x3x32x1 /2".
[[nodiscard]] inline std::string to_string(const depthwise_geometry& g) {
  return to_string(detail::with_channels(g, g.c, g.multiplier));
}

/// Throws: shape_error or value_error as for a conv2d_geometry.
constexpr void check(const depthwise_geometry& g, std::string_view op = "depthwise_conv2d") {
  require<shape_error>(g.c > 0 && g.multiplier > 0, op, ": c is ", g.c, ", multiplier is ", g.multiplier,
                       "; must be > 0");
  check(detail::with_channels(g, 1, checked_mul(g.c, g.multiplier)), op);  // each output reads one channel
  static_cast<void>(checked_mul(checked_mul(g.n, checked_mul(g.h, g.w)), checked_mul(g.c, 8)));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
