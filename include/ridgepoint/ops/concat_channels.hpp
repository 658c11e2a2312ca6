// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, j) ← a(i, j) in the first columns, b(i, j − a.cols) in the others.
template <scalar T>
struct concat_channels_args {
  static constexpr std::string_view name = "concat_channels";
  matrix_view<const T> a, b;  // rows contiguous, equally many
  matrix_view<T> y;           // equally many rows; the columns of both
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const concat_channels_args<T>& c) noexcept {
  return std::array{operand::input("a", c.a), operand::input("b", c.b), operand::output("y", c.y)};
}

/// Receipt of concat_channels() of rows × first and rows × second: no FLOP; every element is read and written once.
template <scalar T>
[[nodiscard]] constexpr work receipt(const concat_channels_args<T>& c) noexcept {
  return {.bytes = traffic_of(operands(c))};
}

/// Throws: as concat_channels().
template <scalar T>
void check(const concat_channels_args<T>& c) {
  const auto fits = [&] {
    return c.a.rows == c.y.rows && c.b.rows == c.y.rows && c.a.cols >= 0 && c.a.cols <= c.y.cols &&
           c.b.cols == c.y.cols - c.a.cols;
  };
  require<shape_error>(fits(), "concat_channels: a is ", c.a, ", b is ", c.b, " and y is ", c.y,
                       "; must have equal rows, and y the columns of both");
  check_operands(c);
}

/// y ← [a b]: concatenates the channels of two images of one size, viewed as rows of channels. The gradient for a or b
/// is a part of the gradient for y, extracted by pad_channels_backward().
/// Next: reference/elementwise.hpp is the definition, cpu/elementwise.hpp the fast one.
/// Work: receipt(concat_channels_args).
/// Throws: shape_error if the rows differ, y does not have the columns of both, rows are not contiguous, a pointer
/// is null, or y overlaps an input.
/// Example:
///   rp::concat_channels(on, a, b, y);
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
work concat_channels(const Backend& on, const matrix_in<E>& a, const matrix_in<E>& b, C&& y = {}) {
  static_assert(runs<Backend, concat_channels_args<E>, E>,
                "concat_channels: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "concat_channels: y must be a mutable matrix of float or double: a tensor or a matrix_view");
  return detail::run_checked<E>(on, concat_channels_args<E>{.a = a, .b = b, .y = matrix_output<E>(y)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
