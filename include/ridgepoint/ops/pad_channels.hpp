// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, before + j) ← x(i, j), 0 in the columns before and after.
template <scalar T>
struct pad_channels_args {
  static constexpr std::string_view name = "pad_channels";
  index_t before = 0;      // columns of zeros
  matrix_view<const T> x;  // rows contiguous
  matrix_view<T> y;        // equally many rows; at least before + x.cols columns
};

/// dx(i, j) ← dy(i, before + j).
template <scalar T>
struct pad_channels_backward_args {
  static constexpr std::string_view name = "pad_channels_backward";
  index_t before = 0;
  matrix_view<const T> dy;
  matrix_view<T> dx;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const pad_channels_args<T>& a) noexcept {
  return std::array{operand::input("x", a.x), operand::output("y", a.y)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const pad_channels_backward_args<T>& a) noexcept {
  return std::array{operand::input("dy", a.dy).counting(a.dx.rows, a.dx.cols), operand::output("dx", a.dx)};
}

/// Receipt of pad_channels() from rows × narrow to rows × wide: no FLOP; reads x, writes y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const pad_channels_args<T>& a) noexcept {
  return {.bytes = traffic_of(operands(a))};
}
/// Receipt of pad_channels_backward(): no FLOP; reads the part of dy that becomes dx, writes dx.
template <scalar T>
[[nodiscard]] constexpr work receipt(const pad_channels_backward_args<T>& a) noexcept {
  return {.bytes = traffic_of(operands(a))};
}

namespace detail {
/// Throws: shape_error unless `narrow` has the rows of `wide` and fits its columns after the first `before`.
template <class Narrow, class Wide>
void check_padding(std::string_view op, index_t before, std::string_view narrow_name, const Narrow& narrow,
                   std::string_view wide_name, const Wide& wide) {
  require<shape_error>(narrow.rows == wide.rows, op, ": ", narrow_name, " is ", narrow, " but ", wide_name, " is ",
                       wide, "; must have equal rows");
  require<shape_error>(before >= 0, op, ": before is ", before, "; must be >= 0");
  require<shape_error>(narrow.cols >= 0 && narrow.cols <= wide.cols && before <= wide.cols - narrow.cols, op, ": ",
                       narrow_name, " is ", narrow, " after ", before, " columns of ", wide_name, ", which is ", wide,
                       "; must fit");
}
}  // namespace detail

/// Throws: as pad_channels().
template <scalar T>
void check(const pad_channels_args<T>& a) {
  detail::check_padding("pad_channels", a.before, "x", a.x, "y", a.y);
  check_operands(a);
}
/// Throws: as pad_channels_backward().
template <scalar T>
void check(const pad_channels_backward_args<T>& a) {
  detail::check_padding("pad_channels_backward", a.before, "dx", a.dx, "dy", a.dy);
  check_operands(a);
}

/// y ← x with columns of zeros before and after: more channels for every pixel of images viewed as rows of channels.
/// The number of columns after follows from the columns of y.
/// Next: reference/elementwise.hpp is the definition, cpu/elementwise.hpp the fast one.
/// Work: receipt(pad_channels_args).
/// Throws: shape_error if y has other rows or too few columns, `before` is negative, rows are not contiguous, a pointer
/// is null, or y overlaps x.
/// Example:
///   rp::pad_channels(on, 8, x, y);                          // 16 channels to 32: 8 of zeros on either side
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
work pad_channels(const Backend& on, index_t before, const matrix_in<E>& x, C&& y = {}) {
  static_assert(runs<Backend, pad_channels_args<E>, E>,
                "pad_channels: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "pad_channels: y must be a mutable matrix of float or double: a tensor or a matrix_view");
  return detail::run_checked<E>(on, pad_channels_args<E>{.before = before, .x = x, .y = matrix_output<E>(y)});
}
/// dx ← the gradient of pad_channels() for x. Throws: as pad_channels().
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
work pad_channels_backward(const Backend& on, index_t before, const matrix_in<E>& dy, C&& dx = {}) {
  static_assert(runs<Backend, pad_channels_backward_args<E>, E>,
                "pad_channels_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "pad_channels_backward: dx must be a mutable matrix of float or double: a tensor or a matrix_view");
  return detail::run_checked<E>(on,
                                pad_channels_backward_args<E>{.before = before, .dy = dy, .dx = matrix_output<E>(dx)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
