// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, oh, ow, c·multiplier + m) ← Σ x(n, oh·stride − top + kh, ow·stride − left + kw, c)·w(kh, kw, c, m) + bias,
/// where x is zero on the padding.
template <scalar T>
struct depthwise_conv2d_args {
  static constexpr std::string_view name = "depthwise_conv2d";
  static constexpr product_kind product = product_kind::by_channel;
  depthwise_geometry geometry = {};
  const T* x = nullptr;     // (n, h, w, c)
  const T* w = nullptr;     // (kh, kw, c, multiplier)
  const T* bias = nullptr;  // f values; null: none
  T* y = nullptr;           // (n, oh, ow, f)
};

/// dx(n, h, w, c) ← Σ dy·w over the outputs and taps that read x(n, h, w, c).
template <scalar T>
struct depthwise_conv2d_backward_data_args {
  static constexpr std::string_view name = "depthwise_conv2d_backward_data";
  static constexpr product_kind product = product_kind::by_channel;
  depthwise_geometry geometry = {};
  const T* dy = nullptr;  // (n, oh, ow, f)
  const T* w = nullptr;   // (kh, kw, c, multiplier)
  T* dx = nullptr;        // (n, h, w, c)
};

/// dw(kh, kw, c, m) ← Σ x·dy over samples and outputs, db ← Σ dy.
template <scalar T>
struct depthwise_conv2d_backward_weights_args {
  static constexpr std::string_view name = "depthwise_conv2d_backward_weights";
  static constexpr product_kind product = product_kind::by_channel;
  depthwise_geometry geometry = {};
  const T* x = nullptr;   // (n, h, w, c)
  const T* dy = nullptr;  // (n, oh, ow, f)
  T* dw = nullptr;        // (kh, kw, c, multiplier)
  T* db = nullptr;        // f values; null: not written
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const depthwise_conv2d_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  const bool some = g.output_size() > 0;
  return std::array{operand::input("x", a.x, g.n, g.h, g.w, g.c).counting(g.input_read()),
                    operand::weight("w", a.w, g.kh, g.kw, g.c, g.multiplier).counting_if(some),
                    operand::weight("bias", a.bias, g.f()).counting_if(some).optional(),
                    operand::output("y", a.y, g.n, g.oh(), g.ow(), g.f())};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const depthwise_conv2d_backward_data_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  return std::array{operand::input("dy", a.dy, g.n, g.oh(), g.ow(), g.f()),
                    operand::weight("w", a.w, g.kh, g.kw, g.c, g.multiplier).counting_if(g.n > 0),
                    operand::output("dx", a.dx, g.n, g.h, g.w, g.c)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const depthwise_conv2d_backward_weights_args<T>& a) {
  const depthwise_geometry& g = a.geometry;
  return std::array{operand::input("x", a.x, g.n, g.h, g.w, g.c).counting(g.input_read()),
                    operand::input("dy", a.dy, g.n, g.oh(), g.ow(), g.f()),
                    operand::output("dw", a.dw, g.kh, g.kw, g.c, g.multiplier),
                    operand::output("db", a.db, g.f()).optional()};
}

/// Receipt of depthwise_conv2d(): 2·macs() matrix FLOP (including taps on padding), one per output for a bias; reads
/// the elements of x that windows touch and the filter (+bias), writes y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const depthwise_conv2d_args<T>& a) {
  return detail::convolution_arithmetic(a.geometry, a.bias) + work{.bytes = traffic_of(operands(a))};
}
/// Receipt of depthwise_conv2d_backward_data(): 2·macs() matrix FLOP; reads dy and the filter, writes dx.
template <scalar T>
[[nodiscard]] constexpr work receipt(const depthwise_conv2d_backward_data_args<T>& a) {
  return detail::convolution_arithmetic(a.geometry, nullptr) + work{.bytes = traffic_of(operands(a))};
}
/// Receipt of depthwise_conv2d_backward_weights(): 2·macs() matrix FLOP, one per output for db; reads the elements of x
/// that windows touch, and dy (inputs), writes dw (+db).
template <scalar T>
[[nodiscard]] constexpr work receipt(const depthwise_conv2d_backward_weights_args<T>& a) {
  return detail::convolution_arithmetic(a.geometry, a.db) + work{.bytes = traffic_of(operands(a))};
}

/// Throws: as depthwise_conv2d().
template <scalar T>
void check(const depthwise_conv2d_args<T>& a) {
  check(a.geometry, "depthwise_conv2d");
  check_operands(a);
}
/// Throws: as depthwise_conv2d_backward_data().
template <scalar T>
void check(const depthwise_conv2d_backward_data_args<T>& a) {
  check(a.geometry, "depthwise_conv2d_backward_data");
  check_operands(a);
}
/// Throws: as depthwise_conv2d_backward_weights().
template <scalar T>
void check(const depthwise_conv2d_backward_weights_args<T>& a) {
  check(a.geometry, "depthwise_conv2d_backward_weights");
  check_operands(a);
}

/// y ← every channel of x convolved with its own filters, + bias: images (n, h, w, c), filter (kh, kw, c, multiplier),
/// y (n, oh, ow, c·multiplier), all dense. Padding is zero and is multiplied like any other value.
/// run(on, depthwise_conv2d_args{…}) takes a geometry and pointers.
/// Next: reference/convolution.hpp is the definition, ops/geometry.hpp the extents.
/// Work: receipt(depthwise_conv2d_args).
/// Throws: as conv2d(); value_error also for groups or an algorithm of conv2d().
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
/// dx ← the gradient of depthwise_conv2d() for x, with the extents of dx.
/// Work: receipt(depthwise_conv2d_backward_data_args). Throws: as depthwise_conv2d().
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
/// bias. An empty batch gives zeros.
/// Work: receipt(depthwise_conv2d_backward_weights_args). Throws: as depthwise_conv2d().
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
