// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Algorithm of a convolution, for backends with several.
enum class conv_algorithm {
  automatic,  // the one predicted to take least time
  exact,      // the fastest predicted of those that add only the products of the definition
  segments,   // implicit GEMM: products of windows in place and the filter
  patches,    // im2col: products of gathered windows and the filter
  joined,     // several adjacent results of a row as one, in segments; a NaN that is read spreads to neighbours
  dots,       // dot products of windows in place and filters; of their gradients, along the taps
  winograd,   // the one predicted to take least time of the two below
  // Tiles of results computed together with fewer products, for float, stride and dilation 1: 2×2 with 16 instead of 36
  // for 3×3 taps, with 36 instead of 100 for 5×5; 4×4 with 36 instead of 144 for 3×3.
  winograd_2x2,
  winograd_4x4,
};

[[nodiscard]] constexpr bool is_winograd(conv_algorithm algorithm) noexcept {
  return algorithm == conv_algorithm::winograd || algorithm == conv_algorithm::winograd_2x2 ||
         algorithm == conv_algorithm::winograd_4x4;
}
/// Returns true if a Winograd algorithm supports the window: 3×3 taps, or 5×5 for 2×2 results, stride and dilation 1.
[[nodiscard]] constexpr bool winograd_takes(conv_algorithm algorithm, const conv2d_geometry& g) noexcept {
  return is_winograd(algorithm) && g.kh == g.kw && g.stride == spatial(1) && g.dilation == spatial(1) &&
         (g.kh == 3 || (g.kh == 5 && algorithm != conv_algorithm::winograd_4x4));
}

/// y(n, oh, ow, f) ← act(Σ x(n, oh·stride − top + kh, ow·stride − left + kw, c)·w(kh, kw, c, f) + bias(f) + residual(n,
/// oh, ow, f)), where x is zero on the padding. In groups, c counts the channels of the group that f belongs to.
template <scalar T>
struct conv2d_args {
  static constexpr std::string_view name = "conv2d";
  static constexpr product_kind product = product_kind::dense;
  conv2d_geometry geometry = {};
  const T* x = nullptr;               // (n, h, w, c)
  const T* w = nullptr;               // (kh, kw, c / groups, f)
  const T* bias = nullptr;            // f values; null: none
  T* y = nullptr;                     // (n, oh, ow, f)
  activation act = activation::none;  // a fusable one, or leaky_relu
  conv_algorithm algorithm = conv_algorithm::automatic;
  const T* residual = nullptr;  // (n, oh, ow, f); null: none
  double slope = 0.01;          // leaky_relu only, 0 ≤ slope < ∞
};

/// dx(n, h, w, c) ← Σ dy(n, oh, ow, f)·w(kh, kw, c, f) over the outputs and taps that read x(n, h, w, c).
template <scalar T>
struct conv2d_backward_data_args {
  static constexpr std::string_view name = "conv2d_backward_data";
  static constexpr product_kind product = product_kind::dense;
  conv2d_geometry geometry = {};
  const T* dy = nullptr;  // (n, oh, ow, f)
  const T* w = nullptr;   // (kh, kw, c / groups, f)
  T* dx = nullptr;        // (n, h, w, c)
  conv_algorithm algorithm = conv_algorithm::automatic;
};

/// dw(kh, kw, c, f) ← Σ x·dy over samples and outputs, db(f) ← Σ dy.
template <scalar T>
struct conv2d_backward_weights_args {
  static constexpr std::string_view name = "conv2d_backward_weights";
  static constexpr product_kind product = product_kind::dense;
  conv2d_geometry geometry = {};
  const T* x = nullptr;   // (n, h, w, c)
  const T* dy = nullptr;  // (n, oh, ow, f)
  T* dw = nullptr;        // (kh, kw, c / groups, f)
  T* db = nullptr;        // f values; null: not written
  conv_algorithm algorithm = conv_algorithm::automatic;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const conv2d_args<T>& a) {
  const conv2d_geometry& g = a.geometry;
  const bool some = g.output_size() > 0;
  return std::array{operand::input("x", a.x, g.n, g.h, g.w, g.c).counting(g.input_read()),
                    operand::weight("w", a.w, g.kh, g.kw, g.group_c(), g.f).counting_if(some),
                    operand::weight("bias", a.bias, g.f).counting_if(some).optional(),
                    operand::input("residual", a.residual, g.n, g.oh(), g.ow(), g.f).optional(),
                    operand::output("y", a.y, g.n, g.oh(), g.ow(), g.f)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const conv2d_backward_data_args<T>& a) {
  const conv2d_geometry& g = a.geometry;
  return std::array{operand::input("dy", a.dy, g.n, g.oh(), g.ow(), g.f),
                    operand::weight("w", a.w, g.kh, g.kw, g.group_c(), g.f).counting_if(g.n > 0),
                    operand::output("dx", a.dx, g.n, g.h, g.w, g.c)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const conv2d_backward_weights_args<T>& a) {
  const conv2d_geometry& g = a.geometry;
  return std::array{operand::input("x", a.x, g.n, g.h, g.w, g.c).counting(g.input_read()),
                    operand::input("dy", a.dy, g.n, g.oh(), g.ow(), g.f),
                    operand::output("dw", a.dw, g.kh, g.kw, g.group_c(), g.f),
                    operand::output("db", a.db, g.f).optional()};
}

namespace detail {
/// The products of a pass of conv2d() or depthwise_conv2d(), and one addition per output unless the bias is null.
[[nodiscard]] constexpr work convolution_arithmetic(const auto& g, const void* bias) {
  const std::uint64_t products = 2 * static_cast<std::uint64_t>(g.macs());
  return {.flop = products + (bias != nullptr ? static_cast<std::uint64_t>(g.output_size()) : 0),
          .matrix_flop = products};
}
/// Returns true if activation and residual need a second pass over the results, instead of being fused.
template <class T>
[[nodiscard]] constexpr bool needs_finish_pass(const conv2d_args<T>& a) noexcept {
  return a.residual != nullptr || a.act == activation::leaky_relu;
}
}  // namespace detail

/// Receipt of conv2d(): 2·macs() matrix FLOP (including taps on padding), one per output for a bias and for a residual,
/// the activation's; reads the elements of x that windows touch and the filter (+bias, +residual), writes y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const conv2d_args<T>& a) {
  const auto outputs = static_cast<std::uint64_t>(a.geometry.output_size());
  return detail::convolution_arithmetic(a.geometry, a.bias) + activation_arithmetic(a.act, outputs) +
         work{.flop = a.residual != nullptr ? outputs : 0, .bytes = traffic_of(operands(a))};
}
/// Receipt of conv2d_backward_data(): 2·macs() matrix FLOP; reads dy and the filter, writes dx.
template <scalar T>
[[nodiscard]] constexpr work receipt(const conv2d_backward_data_args<T>& a) {
  return detail::convolution_arithmetic(a.geometry, nullptr) + work{.bytes = traffic_of(operands(a))};
}
/// Receipt of conv2d_backward_weights(): 2·macs() matrix FLOP, one per output for db; reads the elements of x that
/// windows touch, and dy (inputs), writes dw (+db).
template <scalar T>
[[nodiscard]] constexpr work receipt(const conv2d_backward_weights_args<T>& a) {
  return detail::convolution_arithmetic(a.geometry, a.db) + work{.bytes = traffic_of(operands(a))};
}

/// Throws: as conv2d().
template <scalar T>
void check(const conv2d_args<T>& a) {
  check(a.geometry, "conv2d");
  check_fusable("conv2d", a.act, a.slope);
  check_operands(a);
}
/// Throws: as conv2d_backward_data().
template <scalar T>
void check(const conv2d_backward_data_args<T>& a) {
  check(a.geometry, "conv2d_backward_data");
  check_operands(a);
}
/// Throws: as conv2d_backward_weights().
template <scalar T>
void check(const conv2d_backward_weights_args<T>& a) {
  check(a.geometry, "conv2d_backward_weights");
  check_operands(a);
}

/// Stride, padding and dilation of a convolution's window; groups and algorithm for conv2d() only.
struct convolution_options {
  spatial stride = 1;
  padding2d padding = {};
  spatial dilation = 1;
  index_t groups = 1;
  conv_algorithm algorithm = conv_algorithm::automatic;
  [[no_unique_address]] act_follows act = {}, activation = {};
};

namespace detail {

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

/// y ← act(x ∗ w + bias + residual): images (n, h, w, c), filter (kh, kw, c / groups, f), y and residual (n, oh, ow,
/// f), all dense. Padding is zero and is multiplied like any other value. The residual is an ordinary operand: y may
/// not be it. run(on, conv2d_args{…}) takes a geometry and pointers.
/// Next: reference/convolution.hpp is the definition, ops/geometry.hpp the extents.
/// Work: receipt(conv2d_args).
/// Throws: shape_error if the window does not fit, groups do not divide the channels, a size overflows, an image or
/// filter is not dense or has other extents, a range has another size, a pointer is null or y overlaps an operand;
/// value_error for a stride, dilation or groups < 1, a negative padding, a bad slope, or an activation that is neither
/// fusable() nor leaky_relu; unsupported for an algorithm that cannot compute it.
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
/// dx ← the gradient of conv2d() (without its activation) for x, with the extents of dx.
/// Work: receipt(conv2d_backward_data_args). Throws: as conv2d().
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
/// dw and, unless it is null, db ← the gradients of conv2d() for the filter, with the extents of dw, and the bias. An
/// empty batch gives zeros.
/// Work: receipt(conv2d_backward_weights_args). Throws: as conv2d().
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
