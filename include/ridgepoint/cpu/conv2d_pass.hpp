// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include <ridgepoint/kernels/conv/conv_product.hpp>
#include <ridgepoint/kernels/conv/joined_pixels.hpp>
#include <ridgepoint/ops/conv2d.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::detail {

using kernels::conv_product;

using kernels::conv_direction;

/// A forward pass, or the gradient for the image: products of the windows of an image and a filter.
template <class T>
struct conv_pass {
  conv_direction direction = conv_direction::forward;
  conv2d_geometry geometry = {};
  const T* from = nullptr;  // x, or dy
  const T* w = nullptr;
  const T* bias = nullptr;
  T* to = nullptr;  // y, or dx
  activation act = activation::none;
  conv_algorithm algorithm = conv_algorithm::automatic;
  const T* residual = nullptr;
  double slope = 0;
  bool finishes_apart = false;  // activation and residual are left to a pass over the results

  [[nodiscard]] bool is_forward() const noexcept { return direction == conv_direction::forward; }
  /// Phases of the results in both directions: those of a gradient for the image that meet the same taps.
  [[nodiscard]] spatial phases() const noexcept {
    const conv2d_geometry& g = geometry;
    return is_forward() ? spatial(1) : spatial((std::min)(g.stride.h, g.h), (std::min)(g.stride.w, g.w));
  }
  [[nodiscard]] index_t input_size() const noexcept {
    return is_forward() ? geometry.input_size() : geometry.output_size();
  }
  [[nodiscard]] index_t output_size() const noexcept {
    return is_forward() ? geometry.output_size() : geometry.input_size();
  }
};
template <class T>
[[nodiscard]] conv_pass<T> pass_of(const conv2d_args<T>& a) noexcept {
  return {.direction = conv_direction::forward,
          .geometry = a.geometry,
          .from = a.x,
          .w = a.w,
          .bias = a.bias,
          .to = a.y,
          .act = a.act,
          .algorithm = a.algorithm,
          .residual = a.residual,
          .slope = a.slope,
          .finishes_apart = finishes_apart(a)};
}
template <class T>
[[nodiscard]] conv_pass<T> pass_of(const conv2d_backward_data_args<T>& a) noexcept {
  return {.direction = conv_direction::backward,
          .geometry = a.geometry,
          .from = a.dy,
          .w = a.w,
          .to = a.dx,
          .algorithm = a.algorithm};
}

/// `first` elements on; null if there is no memory.
template <class T>
[[nodiscard]] T* part_of(T* all, index_t first) noexcept {
  return all == nullptr ? nullptr : all + first;
}

/// A pass of some adjacent images.
template <class T>
[[nodiscard]] conv_pass<T> images_of(conv_pass<T> a, index_t first, index_t count) noexcept {
  a.geometry.n = 1;
  const index_t output = first * a.output_size();
  a.from = part_of(a.from, first * a.input_size()), a.to = part_of(a.to, output);
  a.residual = part_of(a.residual, output);
  a.geometry.n = count;
  return a;
}

/// The windows of a forward pass in a group.
template <class T>
[[nodiscard]] kernels::patches<T> patches_of(const conv2d_geometry& g, const T* x, index_t group) noexcept {
  const index_t c = g.group_c();
  return {part_of(x, group * c), g.n, c, kernels::taps_forward(g.rows()), kernels::taps_forward(g.columns()), g.c};
}

/// The product of a group. Of a gradient for the image: of the pixels whose row is `phase.h` past a multiple of the
/// stride, and whose column is `phase.w`.
template <class T>
[[nodiscard]] conv_product<T> product_of(const conv_pass<T>& a, index_t group, spatial phase) noexcept {
  const conv2d_geometry& g = a.geometry;
  const index_t first = group * g.group_f();
  const matrix_view<const T> tap_filter{part_of(a.w, first), g.group_c(), g.group_f(), g.f};
  conv_product<T> p{.tap_filter = tap_filter, .tap_size = g.group_c() * g.f, .taps_per_row = g.kw};
  if (a.is_forward()) {
    p.source = patches_of(g, a.from, group);
    p.results = part_of(a.to, first);
    p.pixel_step = g.f, p.row_step = p.source.columns.results * g.f, p.image_step = p.source.rows.results * p.row_step;
    p.options.bias = part_of(a.bias, first), p.options.act = a.finishes_apart ? activation::none : a.act;
    return p;
  }
  p.source = {part_of(a.from, first),
              g.n,
              g.group_f(),
              kernels::taps_backward(g.rows(), phase.h),
              kernels::taps_backward(g.columns(), phase.w),
              g.f};
  p.tap_filter = tap_filter.transposed();
  p.results = part_of(a.to, (phase.h * g.w + phase.w) * g.c + group * g.group_c());
  p.pixel_step = g.stride.w * g.c, p.row_step = g.stride.h * g.w * g.c, p.image_step = g.h * g.w * g.c;
  return p;
}

/// Whether a filter is the same in every run, so that it is packed or transformed but once.
enum class filter_is { given, constant };

/// The work of so many products for each of so many pixels.
[[nodiscard]] inline work products_of(index_t pixels, index_t each) noexcept {
  const std::uint64_t flop = 2 * static_cast<std::uint64_t>(pixels) * static_cast<std::uint64_t>(each);
  return {.flop = flop, .matrix_flop = flop};
}
[[nodiscard]] constexpr std::uint64_t times(index_t a, index_t b) noexcept {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::detail
