// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/geometry.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(n, oh, ow, c) ← the largest x in the window, index ← its tap.
template <scalar T>
struct max_pool2d_args {
  static constexpr std::string_view name = "max_pool2d";
  pool2d_geometry geometry = {};
  const T* x = nullptr;           // (n, h, w, c)
  T* y = nullptr;                 // (n, oh, ow, c)
  std::uint8_t* index = nullptr;  // like y, kh·kw_extent + kw; null: not written
};

/// dx(n, h, w, c) ← Σ dy of the outputs whose largest value it was.
template <scalar T>
struct max_pool2d_backward_args {
  static constexpr std::string_view name = "max_pool2d_backward";
  pool2d_geometry geometry = {};
  const T* dy = nullptr;                // (n, oh, ow, c)
  const std::uint8_t* index = nullptr;  // as written by max_pool2d()
  T* dx = nullptr;                      // (n, h, w, c)
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const max_pool2d_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  return std::array{operand::input("x", a.x, g.n, g.h, g.w, g.c).counting(g.input_read()),
                    operand::output("y", a.y, g.n, g.oh(), g.ow(), g.c),
                    operand::output("index", a.index, g.n, g.oh(), g.ow(), g.c).optional()};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const max_pool2d_backward_args<T>& a) {
  const pool2d_geometry& g = a.geometry;
  return std::array{operand::input("dy", a.dy, g.n, g.oh(), g.ow(), g.c),
                    operand::input("index", a.index, g.n, g.oh(), g.ow(), g.c),
                    operand::output("dx", a.dx, g.n, g.h, g.w, g.c)};
}

/// Receipt of max_pool2d(): a comparison per tap, including padding; reads the elements covered by windows, writes y
/// and one byte per index.
template <scalar T>
[[nodiscard]] constexpr work receipt(const max_pool2d_args<T>& a) {
  return {.flop = static_cast<std::uint64_t>(a.geometry.taps()), .bytes = traffic_of(operands(a))};
}
/// Receipt of max_pool2d_backward(): one addition per output; reads dy and one byte per index, writes dx.
template <scalar T>
[[nodiscard]] constexpr work receipt(const max_pool2d_backward_args<T>& a) {
  return {.flop = static_cast<std::uint64_t>(a.geometry.output_size()), .bytes = traffic_of(operands(a))};
}

namespace detail {
/// Throws: value_error if a tap's number does not fit the byte that stores it.
inline void check_tap_numbers(std::string_view op, const pool2d_geometry& g) {
  require<value_error>(g.kh * g.kw <= 256, op, ": window is ", g.kh, 'x', g.kw,
                       "; must have at most 256 taps, which one byte numbers");
}
}  // namespace detail

/// Throws: as max_pool2d().
template <scalar T>
void check(const max_pool2d_args<T>& a) {
  check(a.geometry, "max_pool2d");
  if (a.index != nullptr) detail::check_tap_numbers("max_pool2d", a.geometry);
  check_operands(a);
}
/// Throws: as max_pool2d_backward().
template <scalar T>
void check(const max_pool2d_backward_args<T>& a) {
  check(a.geometry, "max_pool2d_backward");
  detail::check_tap_numbers("max_pool2d_backward", a.geometry);
  check_operands(a);
}

/// y ← the largest value in each window, the first of equal ones; index, unless null, ← its tap, for the backward pass.
/// A NaN in a window is its largest value. Images (n, h, w, c), dense; run(on, max_pool2d_args{…}) takes a geometry and
/// pointers.
/// Next: reference/pooling.hpp is the definition, ops/geometry.hpp the extents.
/// Work: receipt(max_pool2d_args).
/// Throws: shape_error if the window does not fit, a size overflows, an image is not dense or has other extents, a
/// range has another size, a pointer is null or operands overlap; value_error for a stride < 1, a padding that is
/// negative or as large as the window, or an index of over 256 taps.
/// Example:
///   rp::max_pool2d(on, x, y, index, {.window = 2, .stride = 2});
template <class Backend, class C, class E = tensor_element<C, 4>>
work max_pool2d(const Backend& on, const tensor_in<E, 4>& x, C&& y, const elements<std::uint8_t>& index,
                const pooling_options& options) {
  static_assert(runs<Backend, max_pool2d_args<E>, E>,
                "max_pool2d: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "max_pool2d: y must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(y);
  const pool2d_geometry g =
      detail::pooling_of("max_pool2d", detail::named_image{"x", x}, detail::named_image{"y", to}, options);
  return detail::run_checked<E>(
      on,
      max_pool2d_args<E>{
          .geometry = g, .x = x.data, .y = to.data, .index = index.first_of(g.output_size(), "max_pool2d", "index")});
}
/// dx ← the gradient of max_pool2d() for x, with the extents of dx. An index outside the image is skipped.
/// Work: receipt(max_pool2d_backward_args). Throws: as max_pool2d().
template <class Backend, class C, class E = tensor_element<C, 4>>
work max_pool2d_backward(const Backend& on, const tensor_in<E, 4>& dy, const elements<const std::uint8_t>& index,
                         C&& dx, const pooling_options& options) {
  constexpr std::string_view op = "max_pool2d_backward";
  static_assert(runs<Backend, max_pool2d_backward_args<E>, E>,
                "max_pool2d_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "max_pool2d_backward: dx must be a mutable image of float or double: a tensor or a view");
  const tensor_view<E, 4> to = tensor_output<E, 4>(dx);
  const pool2d_geometry g =
      detail::pooling_of(op, detail::named_image{"dx", to}, detail::named_image{"dy", dy}, options);
  return detail::run_checked<E>(
      on, max_pool2d_backward_args<E>{
              .geometry = g, .dy = dy.data, .index = index.first_of(g.output_size(), op, "index"), .dx = to.data});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
