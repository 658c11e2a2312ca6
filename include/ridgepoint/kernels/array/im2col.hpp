// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include <ridgepoint/ops/conv2d_geometry.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::kernels {

/// Writes row r of the im2col matrix of a convolution group whose first channel is x's: for output r of n·oh·ow, the
/// kh·kw·c inputs its window covers, zero in the padding. y = im2col(x)·w with w as (kh·kw·c)×f, c and f per group.
template <class E>
void im2col_row(const conv2d_geometry& g, const E* x, index_t r, E* row) noexcept {
  const window_axis rows = g.rows(), cols = g.columns();
  const index_t ow = g.ow(), oh = g.oh(), o_w = r % ow, o_h = r / ow % oh, n = r / (ow * oh);
  for (index_t kh = 0; kh < g.kh; ++kh)
    for (index_t kw = 0; kw < g.kw; ++kw, row += g.group_c()) {
      const index_t h = rows.input(o_h, kh), w = cols.input(o_w, kw);
      if (rows.inside(h) && cols.inside(w)) std::copy_n(x + ((n * g.h + h) * g.w + w) * g.c, g.group_c(), row);
      else std::fill_n(row, g.group_c(), E(0));
    }
}

namespace detail {
/// Returns the output whose tap `tap` reads `input`, or −1.
[[nodiscard]] constexpr index_t output_reading(const window_axis& a, index_t input, index_t tap) noexcept {
  const index_t at = input + a.before - tap * a.dilation;
  return at >= 0 && at % a.stride == 0 && at / a.stride < a.outputs() ? at / a.stride : -1;
}
}  // namespace detail

/// Row r of the matrix for the gradient of a group of x, whose first output channel is dy's: for input r of n·h·w, the
/// kh·kw·f gradients of the outputs that read it through each tap, zero for missing outputs. dx = row·wᵀ with wᵀ as
/// (kh·kw·f)×c.
template <class E>
void output_row(const conv2d_geometry& g, const E* dy, index_t r, E* row) noexcept {
  const window_axis rows = g.rows(), cols = g.columns();
  const index_t w = r % g.w, h = r / g.w % g.h, n = r / (g.w * g.h), ow = g.ow(), oh = g.oh();
  for (index_t kh = 0; kh < g.kh; ++kh)
    for (index_t kw = 0; kw < g.kw; ++kw, row += g.group_f()) {
      const index_t o_h = detail::output_reading(rows, h, kh), o_w = detail::output_reading(cols, w, kw);
      if (o_h >= 0 && o_w >= 0) std::copy_n(dy + ((n * oh + o_h) * ow + o_w) * g.f, g.group_f(), row);
      else std::fill_n(row, g.group_f(), E(0));
    }
}

/// Filter of a group, from its first column on, with c and f swapped: (kh, kw, c, f) → (kh, kw, f, c).
template <class E>
void swap_channels(const conv2d_geometry& g, const E* w, E* swapped) noexcept {
  for (index_t tap = 0; tap < g.kh * g.kw; ++tap)
    for (index_t f = 0; f < g.group_f(); ++f)
      for (index_t c = 0; c < g.group_c(); ++c) *swapped++ = w[(tap * g.group_c() + c) * g.f + f];
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::kernels
