// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Divisor of a window's mean: the image pixels that it covers, or these and its padding, count_include_pad in PyTorch.
/// Pixels of a window beyond the padding, where outputs are rounded up, never count.
enum class mean_over : std::uint8_t { image, window };

/// y(n, oh, ow, c) ← Σ x over the part of the window inside the image / the divisor.
template <scalar T>
struct avg_pool2d_args {
  static constexpr std::string_view name = "avg_pool2d";
  pool2d_geometry geometry = {};
  const T* x = nullptr;  // (n, h, w, c)
  T* y = nullptr;        // (n, oh, ow, c)
  mean_over over = mean_over::image;
};

/// dx(n, h, w, c) ← Σ dy / the divisor, over the windows that cover it.
template <scalar T>
struct avg_pool2d_backward_args {
  static constexpr std::string_view name = "avg_pool2d_backward";
  pool2d_geometry geometry = {};
  const T* dy = nullptr;  // (n, oh, ow, c)
  T* dx = nullptr;        // (n, h, w, c)
  mean_over over = mean_over::image;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const avg_pool2d_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  return std::array{operand::input("x", a.x, g.n, g.h, g.w, g.c).counting(g.input_read()),
                    operand::output("y", a.y, g.n, g.oh(), g.ow(), g.c)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const avg_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  return std::array{operand::input("dy", a.dy, g.n, g.oh(), g.ow(), g.c),
                    operand::output("dx", a.dx, g.n, g.h, g.w, g.c)};
}

/// Receipt of avg_pool2d(): an addition per tap, including padding, and a multiplication per output; reads the elements
/// covered by windows, writes y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const avg_pool2d_args<T>& a) {
  return {.flop = static_cast<std::uint64_t>(a.geometry.taps() + a.geometry.output_size()),
          .bytes = traffic_of(operands(a))};
}
/// Receipt of avg_pool2d_backward(): the same FLOP; reads dy, writes dx.
template <scalar T>
[[nodiscard]] constexpr work receipt(const avg_pool2d_backward_args<T>& a) {
  return {.flop = static_cast<std::uint64_t>(a.geometry.taps() + a.geometry.output_size()),
          .bytes = traffic_of(operands(a))};
}

/// Throws: as avg_pool2d().
template <scalar T>
void check(const avg_pool2d_args<T>& a) {
  check(a.geometry, "avg_pool2d");
  check_operands(a);
}
/// Throws: as avg_pool2d_backward().
template <scalar T>
void check(const avg_pool2d_backward_args<T>& a) {
  check(a.geometry, "avg_pool2d_backward");
  check_operands(a);
}

/// y ← the mean of each window; pixels outside the image are excluded or, with mean_over::window, zeros. A window as
/// large as the image is the global average. Images (n, h, w, c), dense; run(on, avg_pool2d_args{…}) takes a geometry
/// and pointers.
/// Next: reference/pooling.hpp is the definition, ops/geometry.hpp the extents.
/// Work: receipt(avg_pool2d_args).
/// Throws: shape_error if the window does not fit, a size overflows, an image is not dense or has other extents, a
/// pointer is null or y overlaps x; value_error for a stride < 1 or a padding that is negative or as large as the
/// window.
/// Example:
///   rp::avg_pool2d(on, x, y, {.window = 7});
///   rp::avg_pool2d(on, x, y, {.window = 2, .stride = 2}, rp::mean_over::window);
template <class Backend, class C, class E = tensor_element<C, 4>>
work avg_pool2d(const Backend& on, const tensor_in<E, 4>& x, C&& y, const pooling_options& options,
                mean_over over = mean_over::image) {
  static_assert(runs<Backend, avg_pool2d_args<E>, E>,
                "avg_pool2d: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "avg_pool2d: y must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(y);
  const pool2d_geometry g =
      detail::pooling_of("avg_pool2d", detail::named_image{"x", x}, detail::named_image{"y", to}, options);
  return detail::run_checked<E>(on, avg_pool2d_args<E>{.geometry = g, .x = x.data, .y = to.data, .over = over});
}
/// dx ← the gradient of avg_pool2d() for x, with the extents of dx.
/// Work: receipt(avg_pool2d_backward_args). Throws: as avg_pool2d().
template <class Backend, class C, class E = tensor_element<C, 4>>
work avg_pool2d_backward(const Backend& on, const tensor_in<E, 4>& dy, C&& dx, const pooling_options& options,
                         mean_over over = mean_over::image) {
  constexpr std::string_view op = "avg_pool2d_backward";
  static_assert(runs<Backend, avg_pool2d_backward_args<E>, E>,
                "avg_pool2d_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "avg_pool2d_backward: dx must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(dx);
  const pool2d_geometry g =
      detail::pooling_of(op, detail::named_image{"dx", to}, detail::named_image{"dy", dy}, options);
  return detail::run_checked<E>(on,
                                avg_pool2d_backward_args<E>{.geometry = g, .dy = dy.data, .dx = to.data, .over = over});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
