// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>

/// \file
/// Convolution and pooling of images with extents: the geometry follows from them, and every operand is checked against
/// it. Images are (n, h, w, c), dense; filters (kh, kw, c / groups, f).
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Stride, padding and dilation of a convolution's window; groups and algorithm for conv2d() only.
struct convolution_options {
  spatial stride = 1;
  padding2d padding = {};
  spatial dilation = 1;
  index_t groups = 1;
  conv_algorithm algorithm = conv_algorithm::automatic;
  [[no_unique_address]] act_follows act = {}, activation = {};
};
/// Window of a pooling, with its stride and padding.
struct pooling_options {
  spatial window = 1;
  spatial stride = 1;
  padding2d padding = {};
  rounding_rule rounding = rounding_rule::down;
};

namespace detail {
using image_extents = std::array<index_t, 4>;

/// Throws: shape_error unless the view is dense and of these extents.
template <class T>
void check_image(std::string_view op, std::string_view name, const tensor_view<T, 4>& v,
                 const image_extents& expected) {
  require<shape_error>(v.extents == expected, op, ": ", name, " is ", v.shape(), "; must be ",
                       shape(expected.begin(), expected.end()));
  require<shape_error>(v.dense(), op, ": ", name, " is ", v.shape(), " with gaps or in another order; must be dense");
}
/// Returns the geometry of a convolution of images of these extents with this filter. Throws: as conv2d().
template <class Geometry, class T>
[[nodiscard]] Geometry geometry_of(std::string_view op, const image_extents& x, const tensor_view<T, 4>& w,
                                   const convolution_options& o) {
  const auto& [kh, kw, c, last] = w.extents;
  const bool full = o.groups == 1;
  require<shape_error>(!full || c == x[3], op, ": x has ", x[3], " channels but w is ", w.shape(),
                       "; its third extent must be equal");
  Geometry g{.n = x[0], .h = x[1], .w = x[2], .c = x[3]};
  if constexpr (std::same_as<Geometry, conv2d_geometry>) {
    g.f = last, g.groups = o.groups;
  } else {
    require<value_error>(full, op, ": groups is ", o.groups, "; must be 1");
    require<value_error>(o.algorithm == conv_algorithm::automatic || o.algorithm == conv_algorithm::exact, op,
                         ": the algorithm is one of conv2d's; must be automatic or exact");
    g.multiplier = last;
  }
  g.kh = kh, g.kw = kw, g.stride = o.stride, g.padding = o.padding, g.dilation = o.dilation;
  check(g, op);
  return g;
}
[[nodiscard]] inline pool2d_geometry geometry_of(std::string_view op, const image_extents& x,
                                                 const pooling_options& o) {
  const auto& [n, height, width, c] = x;
  const pool2d_geometry g{.n = n,
                          .h = height,
                          .w = width,
                          .c = c,
                          .kh = o.window.h,
                          .kw = o.window.w,
                          .stride = o.stride,
                          .padding = o.padding,
                          .rounding = o.rounding};
  check(g, op);
  return g;
}
template <class Geometry>
[[nodiscard]] image_extents input_of(const Geometry& g) noexcept {
  return {g.n, g.h, g.w, g.c};
}
[[nodiscard]] inline image_extents output_of(const conv2d_geometry& g) { return {g.n, g.oh(), g.ow(), g.f}; }
[[nodiscard]] inline image_extents output_of(const pool2d_geometry& g) { return {g.n, g.oh(), g.ow(), g.c}; }
[[nodiscard]] inline image_extents output_of(const depthwise_geometry& g) { return {g.n, g.oh(), g.ow(), g.f()}; }
[[nodiscard]] inline image_extents filter_of(const conv2d_geometry& g) { return {g.kh, g.kw, g.group_c(), g.f}; }
[[nodiscard]] inline image_extents filter_of(const depthwise_geometry& g) { return {g.kh, g.kw, g.c, g.multiplier}; }

/// An image or a filter, with its operand name.
template <class T>
struct named_image {
  std::string_view name;
  const tensor_view<T, 4>& view;
};
template <class T>
named_image(std::string_view, const tensor_view<T, 4>&) -> named_image<T>;

/// Returns the geometry of a convolution from the image and the filter, and checks the output against it.
/// Throws: as conv2d().
template <class Geometry, class X, class W, class Y>
[[nodiscard]] Geometry convolution_of(std::string_view op, const named_image<X>& x, const named_image<W>& w,
                                      const named_image<Y>& y, const convolution_options& options) {
  const Geometry g = geometry_of<Geometry>(op, x.view.extents, w.view, options);
  check_image(op, x.name, x.view, input_of(g));
  check_image(op, w.name, w.view, filter_of(g));
  check_image(op, y.name, y.view, output_of(g));
  return g;
}
}  // namespace detail

/// y ← act(x ∗ w + bias + residual), as conv2d() with a geometry. Work: receipt(conv2d_args).
/// Throws: as that overload; also shape_error for an image or filter that is not dense or has other extents;
/// unsupported for an algorithm that cannot compute it.
/// Example:
///   rp::conv2d(on, x, w, bias, y, {.stride = 2, .padding = {1, 1, 1, 1}}, rp::activation::relu);
///   rp::conv2d(on, x, w, bias, y, {.algorithm = rp::conv_algorithm::winograd_4x4});
template <class Backend, class C, class E = tensor_element<C, 4>>
work conv2d(const Backend& on, const tensor_in<E, 4>& x, const tensor_in<E, 4>& w, const elements_in<E>& bias, C&& y,
            const convolution_options& options = {}, activation act = activation::none,
            const elements_in<E>& residual = nullptr, double slope = 0.01) {
  static_assert(runs<Backend, conv2d_args<E>, E>,
                "conv2d: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "conv2d: y must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(y);
  const conv2d_geometry g = detail::convolution_of<conv2d_geometry>(
      "conv2d", detail::named_image{"x", x}, detail::named_image{"w", w}, detail::named_image{"y", to}, options);
  return detail::run_checked<E>(on, conv2d_args<E>{.geometry = g,
                                                   .x = x.data,
                                                   .w = w.data,
                                                   .bias = bias.first_of(g.f, "conv2d", "bias"),
                                                   .y = to.data,
                                                   .act = act,
                                                   .algorithm = options.algorithm,
                                                   .residual = residual.first_of(g.output_size(), "conv2d", "residual"),
                                                   .slope = slope});
}
/// dx ← the gradient of conv2d() for x, with the extents of dx. Throws: as conv2d().
template <class Backend, class C, class E = tensor_element<C, 4>>
work conv2d_backward_data(const Backend& on, const tensor_in<E, 4>& dy, const tensor_in<E, 4>& w, C&& dx,
                          const convolution_options& options = {}) {
  constexpr std::string_view op = "conv2d_backward_data";
  static_assert(runs<Backend, conv2d_backward_data_args<E>, E>,
                "conv2d_backward_data: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "conv2d_backward_data: dx must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(dx);
  const conv2d_geometry g = detail::convolution_of<conv2d_geometry>(
      op, detail::named_image{"dx", to}, detail::named_image{"w", w}, detail::named_image{"dy", dy}, options);
  return detail::run_checked<E>(
      on, conv2d_backward_data_args<E>{
              .geometry = g, .dy = dy.data, .w = w.data, .dx = to.data, .algorithm = options.algorithm});
}
/// dw and, unless it is null, db ← the gradients of conv2d() for the filter, with the extents of dw, and the bias.
/// Throws: as conv2d().
template <class Backend, class C, class E = tensor_element<C, 4>>
work conv2d_backward_weights(const Backend& on, const tensor_in<E, 4>& x, const tensor_in<E, 4>& dy, C&& dw,
                             const elements_out<E>& db, const convolution_options& options = {}) {
  constexpr std::string_view op = "conv2d_backward_weights";
  static_assert(runs<Backend, conv2d_backward_weights_args<E>, E>,
                "conv2d_backward_weights: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "conv2d_backward_weights: dw must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(dw);
  const conv2d_geometry g = detail::convolution_of<conv2d_geometry>(
      op, detail::named_image{"x", x}, detail::named_image{"dw", to}, detail::named_image{"dy", dy}, options);
  return detail::run_checked<E>(on, conv2d_backward_weights_args<E>{.geometry = g,
                                                                    .x = x.data,
                                                                    .dy = dy.data,
                                                                    .dw = to.data,
                                                                    .db = db.first_of(g.f, op, "db"),
                                                                    .algorithm = options.algorithm});
}

/// y ← every channel of x convolved with its own filters (kh, kw, c, multiplier) + bias, as depthwise_conv2d() with a
/// geometry. Work: receipt(depthwise_conv2d_args).
/// Throws: as that overload; also shape_error for an image or filter that is not dense or has other extents.
/// Example:
///   rp::depthwise_conv2d(on, x, w, bias, y, {.stride = 2, .padding = {1, 1, 1, 1}});
template <class Backend, class C, class E = tensor_element<C, 4>>
work depthwise_conv2d(const Backend& on, const tensor_in<E, 4>& x, const tensor_in<E, 4>& w, const elements_in<E>& bias,
                      C&& y, const convolution_options& options = {}) {
  static_assert(runs<Backend, depthwise_conv2d_args<E>, E>,
                "depthwise_conv2d: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "depthwise_conv2d: y must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(y);
  const depthwise_geometry g =
      detail::convolution_of<depthwise_geometry>("depthwise_conv2d", detail::named_image{"x", x},
                                                 detail::named_image{"w", w}, detail::named_image{"y", to}, options);
  return detail::run_checked<E>(on, depthwise_conv2d_args<E>{.geometry = g,
                                                             .x = x.data,
                                                             .w = w.data,
                                                             .bias = bias.first_of(g.f(), "depthwise_conv2d", "bias"),
                                                             .y = to.data});
}
/// dx ← the gradient of depthwise_conv2d() for x, with the extents of dx. Throws: as depthwise_conv2d().
template <class Backend, class C, class E = tensor_element<C, 4>>
work depthwise_conv2d_backward_data(const Backend& on, const tensor_in<E, 4>& dy, const tensor_in<E, 4>& w, C&& dx,
                                    const convolution_options& options = {}) {
  constexpr std::string_view op = "depthwise_conv2d_backward_data";
  static_assert(runs<Backend, depthwise_conv2d_backward_data_args<E>, E>,
                "depthwise_conv2d_backward_data: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "depthwise_conv2d_backward_data: dx must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(dx);
  const depthwise_geometry g = detail::convolution_of<depthwise_geometry>(
      op, detail::named_image{"dx", to}, detail::named_image{"w", w}, detail::named_image{"dy", dy}, options);
  return detail::run_checked<E>(
      on, depthwise_conv2d_backward_data_args<E>{.geometry = g, .dy = dy.data, .w = w.data, .dx = to.data});
}
/// dw and, unless it is null, db ← the gradients of depthwise_conv2d() for the filter, with the extents of dw, and the
/// bias.
/// Throws: as depthwise_conv2d().
template <class Backend, class C, class E = tensor_element<C, 4>>
work depthwise_conv2d_backward_weights(const Backend& on, const tensor_in<E, 4>& x, const tensor_in<E, 4>& dy, C&& dw,
                                       const elements_out<E>& db, const convolution_options& options = {}) {
  constexpr std::string_view op = "depthwise_conv2d_backward_weights";
  static_assert(runs<Backend, depthwise_conv2d_backward_weights_args<E>, E>,
                "depthwise_conv2d_backward_weights: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "depthwise_conv2d_backward_weights: dw must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(dw);
  const depthwise_geometry g = detail::convolution_of<depthwise_geometry>(
      op, detail::named_image{"x", x}, detail::named_image{"dw", to}, detail::named_image{"dy", dy}, options);
  return detail::run_checked<E>(
      on, depthwise_conv2d_backward_weights_args<E>{
              .geometry = g, .x = x.data, .dy = dy.data, .dw = to.data, .db = db.first_of(g.f(), op, "db")});
}

/// y ← the largest value in each window, index, unless null, ← its tap, as max_pool2d() with a geometry.
/// Throws: as that overload; also shape_error for an image that is not dense or has other extents.
/// Example:
///   rp::max_pool2d(on, x, y, index, {.window = 2, .stride = 2});
template <class Backend, class C, class E = tensor_element<C, 4>>
work max_pool2d(const Backend& on, const tensor_in<E, 4>& x, C&& y, const elements<std::uint8_t>& index,
                const pooling_options& options) {
  static_assert(runs<Backend, max_pool2d_args<E>, E>,
                "max_pool2d: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "max_pool2d: y must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(y);
  const pool2d_geometry g = detail::geometry_of("max_pool2d", x.extents, options);
  detail::check_image("max_pool2d", "x", x, detail::input_of(g));
  detail::check_image("max_pool2d", "y", to, detail::output_of(g));
  return detail::run_checked<E>(
      on,
      max_pool2d_args<E>{
          .geometry = g, .x = x.data, .y = to.data, .index = index.first_of(g.output_size(), "max_pool2d", "index")});
}
/// dx ← the gradient of max_pool2d() for x, with the extents of dx. Throws: as max_pool2d().
template <class Backend, class C, class E = tensor_element<C, 4>>
work max_pool2d_backward(const Backend& on, const tensor_in<E, 4>& dy, const elements<const std::uint8_t>& index,
                         C&& dx, const pooling_options& options) {
  constexpr std::string_view op = "max_pool2d_backward";
  static_assert(runs<Backend, max_pool2d_backward_args<E>, E>,
                "max_pool2d_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "max_pool2d_backward: dx must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(dx);
  const pool2d_geometry g = detail::geometry_of(op, to.extents, options);
  detail::check_image(op, "dy", dy, detail::output_of(g));
  detail::check_image(op, "dx", to, detail::input_of(g));
  return detail::run_checked<E>(
      on, max_pool2d_backward_args<E>{
              .geometry = g, .dy = dy.data, .index = index.first_of(g.output_size(), op, "index"), .dx = to.data});
}
/// y ← the mean of each window, as avg_pool2d() with a geometry. Throws: as max_pool2d().
template <class Backend, class C, class E = tensor_element<C, 4>>
work avg_pool2d(const Backend& on, const tensor_in<E, 4>& x, C&& y, const pooling_options& options,
                mean_over over = mean_over::image) {
  static_assert(runs<Backend, avg_pool2d_args<E>, E>,
                "avg_pool2d: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "avg_pool2d: y must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(y);
  const pool2d_geometry g = detail::geometry_of("avg_pool2d", x.extents, options);
  detail::check_image("avg_pool2d", "x", x, detail::input_of(g));
  detail::check_image("avg_pool2d", "y", to, detail::output_of(g));
  return detail::run_checked<E>(on, avg_pool2d_args<E>{.geometry = g, .x = x.data, .y = to.data, .over = over});
}
/// dx ← the gradient of avg_pool2d() for x, with the extents of dx. Throws: as max_pool2d().
template <class Backend, class C, class E = tensor_element<C, 4>>
work avg_pool2d_backward(const Backend& on, const tensor_in<E, 4>& dy, C&& dx, const pooling_options& options,
                         mean_over over = mean_over::image) {
  constexpr std::string_view op = "avg_pool2d_backward";
  static_assert(runs<Backend, avg_pool2d_backward_args<E>, E>,
                "avg_pool2d_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "avg_pool2d_backward: dx must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(dx);
  const pool2d_geometry g = detail::geometry_of(op, to.extents, options);
  detail::check_image(op, "dy", dy, detail::output_of(g));
  detail::check_image(op, "dx", to, detail::input_of(g));
  return detail::run_checked<E>(on,
                                avg_pool2d_backward_args<E>{.geometry = g, .dy = dy.data, .dx = to.data, .over = over});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
