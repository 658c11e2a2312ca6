// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/conv2d_geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Extents of a 1-D convolution: x (n, t, c), filter (taps, c / groups, f), y (n, outputs(), f):
///   y(n, o, f) = Σ_{tap, c} x(n, o·stride − before + tap·dilation, c) · w(tap, c, f)
///
/// Equals the 2-D convolution of an image of height one: the memory of x, filter and y is the same.
/// Example:
///   const rp::conv1d_geometry g{.n = 8, .t = 100, .c = 16, .f = 32, .taps = 3, .before = 2};  // causal
///   rp::conv2d(on, g.image(), x, w, bias, y);
struct conv1d_geometry {
  index_t n = 1, t = 1, c = 1, f = 1, taps = 1;
  index_t stride = 1;
  index_t before = 0, after = 0;  // zeros around the sequence
  index_t dilation = 1;
  index_t groups = 1;

  [[nodiscard]] constexpr conv2d_geometry image() const noexcept {
    return {.n = n,
            .w = t,
            .c = c,
            .f = f,
            .kw = taps,
            .stride = {1, stride},
            .padding = {.left = before, .right = after},
            .dilation = {1, dilation},
            .groups = groups};
  }
  [[nodiscard]] constexpr index_t outputs() const { return image().ow(); }
  friend constexpr bool operator==(const conv1d_geometry&, const conv1d_geometry&) = default;
};

/// Throws: as check() of the image's geometry.
constexpr void check(const conv1d_geometry& g, std::string_view op = "conv1d") { check(g.image(), op); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
