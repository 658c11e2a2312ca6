// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/ops/window.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Extents of a 2-D convolution: x (n, h, w, c), filter (kh, kw, c / groups, f), y (n, oh(), ow(), f).
///
/// In groups, block j of f / groups channels of y reads block j of c / groups channels of x, and nothing else.
/// A depthwise convolution has the same extents with f = c·multiplier and a filter (kh, kw, c, multiplier).
/// Example (ResNet's stem):
///   constexpr rp::conv2d_geometry stem{.n = 128, .h = 224, .w = 224, .c = 3, .f = 64, .kh = 7, .kw = 7, .stride = 2,
///                                      .padding = {3, 3, 3, 3}};
///   stem.oh() == 112 && stem.macs() == 128 * 112 * 112 * 7 * 7 * 3 * 64
struct conv2d_geometry {
  index_t n = 1, h = 1, w = 1, c = 1, f = 1, kh = 1, kw = 1;
  spatial stride = 1;
  padding2d padding = {};
  spatial dilation = 1;
  index_t groups = 1;

  [[nodiscard]] constexpr window_axis rows() const noexcept {
    return {h, kh, stride.h, padding.top, padding.bottom, dilation.h};
  }
  [[nodiscard]] constexpr window_axis columns() const noexcept {
    return {w, kw, stride.w, padding.left, padding.right, dilation.w};
  }
  [[nodiscard]] constexpr index_t oh() const { return rows().outputs(); }
  [[nodiscard]] constexpr index_t ow() const { return columns().outputs(); }

  /// Returns the channels of x or y in a group. Throws: value_error for groups < 1.
  [[nodiscard]] constexpr index_t group_c() const { return c / checked_divisor("conv2d: groups", groups); }
  [[nodiscard]] constexpr index_t group_f() const { return f / checked_divisor("conv2d: groups", groups); }

  /// Elements of x, the filter and y.
  [[nodiscard]] constexpr index_t input_size() const noexcept { return n * h * w * c; }
  [[nodiscard]] constexpr index_t filter_size() const { return kh * kw * group_c() * f; }
  [[nodiscard]] constexpr index_t output_size() const { return n * oh() * ow() * f; }
  /// Returns the elements of x that windows touch.
  [[nodiscard]] constexpr index_t input_read() const { return n * rows().inputs_read() * columns().inputs_read() * c; }
  /// Returns the multiply-adds of one pass including taps on padding, as in published totals.
  [[nodiscard]] constexpr index_t macs() const { return output_size() * kh * kw * group_c(); }
  /// Returns the multiply-adds of one pass whose input is inside the image.
  [[nodiscard]] constexpr index_t unpadded_macs() const {
    return n * rows().taps_inside() * columns().taps_inside() * group_c() * f;
  }
  friend constexpr bool operator==(const conv2d_geometry&, const conv2d_geometry&) = default;
};

/// Formats as "128x224x224x3 * 7x7x3x64 /2", "8x14x14x256 * 3x3x8x256 in 32 groups".
[[nodiscard]] inline std::string to_string(const conv2d_geometry& g) {
  std::string text = concat(g.n, 'x', g.h, 'x', g.w, 'x', g.c, " * ", g.kh, 'x', g.kw, 'x', g.group_c(), 'x', g.f,
                            detail::stride_text(g.stride));
  if (g.dilation != spatial{}) text += concat(" dilation ", g.dilation.h, 'x', g.dilation.w);
  if (g.groups != 1) text += concat(" in ", g.groups, " groups");
  return text;
}

/// Throws: shape_error or value_error unless n ≥ 0, everything else is positive, groups divide c and f, the window fits
/// the padded image, and every size and twice the multiply-adds fit an index_t with elements of up to 8 bytes.
constexpr void check(const conv2d_geometry& g, std::string_view op = "conv2d") {
  require<shape_error>(g.n >= 0 && g.c > 0 && g.f > 0, op, ": n is ", g.n, ", c is ", g.c, ", f is ", g.f,
                       "; n must be >= 0, c and f > 0");
  require<value_error>(g.groups >= 1, op, ": groups is ", g.groups, "; must be >= 1");
  require<shape_error>(g.c % g.groups == 0 && g.f % g.groups == 0, op, ": groups is ", g.groups, ", c is ", g.c,
                       ", f is ", g.f, "; must divide c and f");
  detail::check_axis(op, "height", g.rows());
  detail::check_axis(op, "width", g.columns());
  constexpr index_t widest = 8;
  const index_t input = checked_mul(checked_mul(g.n, checked_mul(g.h, g.w)), g.c);
  const index_t filter = checked_mul(checked_mul(g.kh, g.kw), checked_mul(g.group_c(), g.f));
  const index_t pixels = checked_mul(g.n, checked_mul(g.oh(), g.ow()));
  for (const index_t size : {input, filter, checked_mul(pixels, g.f)}) static_cast<void>(checked_mul(size, widest));
  static_cast<void>(checked_mul(checked_mul(pixels, filter), 2));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
