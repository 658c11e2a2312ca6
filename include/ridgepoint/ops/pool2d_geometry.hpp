// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <ridgepoint/ops/window.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Extents of a 2-D pooling, channel by channel: x (n, h, w, c), a window of kh × kw, y (n, oh(), ow(), c). Taps
/// outside the image are ignored, except in a mean over windows (avg_pool2d.hpp). A window as large as the image is a
/// global pooling.
struct pool2d_geometry {
  index_t n = 1, h = 1, w = 1, c = 1, kh = 1, kw = 1;
  spatial stride = 1;
  padding2d padding = {};
  rounding_rule rounding = rounding_rule::down;  // of oh() and ow()

  [[nodiscard]] constexpr window_axis rows() const noexcept {
    return {h, kh, stride.h, padding.top, padding.bottom, 1, rounding};
  }
  [[nodiscard]] constexpr window_axis columns() const noexcept {
    return {w, kw, stride.w, padding.left, padding.right, 1, rounding};
  }
  [[nodiscard]] constexpr index_t oh() const { return rows().outputs(); }
  [[nodiscard]] constexpr index_t ow() const { return columns().outputs(); }

  /// Elements of x and y.
  [[nodiscard]] constexpr index_t input_size() const noexcept { return n * h * w * c; }
  [[nodiscard]] constexpr index_t output_size() const { return n * oh() * ow() * c; }
  /// Returns the elements of x that windows cover.
  [[nodiscard]] constexpr index_t input_read() const { return n * rows().inputs_read() * columns().inputs_read() * c; }
  /// Returns the elements covered by all windows together, including those outside the image.
  [[nodiscard]] constexpr index_t taps() const { return output_size() * kh * kw; }
  /// Returns taps() without padding.
  [[nodiscard]] constexpr index_t unpadded_taps() const {
    return n * rows().taps_inside() * columns().taps_inside() * c;
  }
  friend constexpr bool operator==(const pool2d_geometry&, const pool2d_geometry&) = default;
};

/// Formats as "128x112x112x64 window 3x3 /2", with " rounded up" if outputs are.
[[nodiscard]] inline std::string to_string(const pool2d_geometry& g) {
  return concat(g.n, 'x', g.h, 'x', g.w, 'x', g.c, " window ", g.kh, 'x', g.kw, detail::stride_text(g.stride),
                g.rounding == rounding_rule::up ? " rounded up" : "");
}

/// Throws: shape_error or value_error unless n ≥ 0, everything else is positive, the window fits the padded image,
/// every window covers a part of the image, and every size and the number of taps fit an index_t.
constexpr void check(const pool2d_geometry& g, std::string_view op = "pool2d") {
  require<shape_error>(g.n >= 0 && g.c > 0, op, ": n is ", g.n, ", c is ", g.c, "; n must be >= 0, c > 0");
  detail::check_axis(op, "height", g.rows());
  detail::check_axis(op, "width", g.columns());
  const auto& [top, bottom, left, right] = g.padding;
  require<value_error>(top < g.kh && bottom < g.kh && left < g.kw && right < g.kw, op, ": padding is ", top, ' ',
                       bottom, ' ', left, ' ', right, " (top bottom left right) of a window of ", g.kh, 'x', g.kw,
                       "; must be less than the window");
  constexpr index_t widest = 8;
  static_cast<void>(checked_mul(checked_mul(checked_mul(g.n, checked_mul(g.h, g.w)), g.c), widest));
  const index_t outputs = checked_mul(checked_mul(g.n, checked_mul(g.oh(), g.ow())), g.c);
  static_cast<void>(checked_mul(checked_mul(outputs, checked_mul(g.kh, g.kw)), widest));
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
