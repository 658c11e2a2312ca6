// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y(i, j) ← e^(x(i, j) − max_i) / Σ_j e^(x(i, j) − max_i).
template <scalar T>
struct softmax_args {
  static constexpr std::string_view name = "softmax";
  matrix_view<const T> x;  // rows contiguous
  matrix_view<T> y;        // extents of x; may be x
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const softmax_args<T>& a) noexcept {
  return std::array{operand::input("x", a.x).overwritable(), operand::output("y", a.y)};
}

/// Receipt of softmax() over rows × cols: per row cols comparisons, subtractions, additions and multiplications, cols
/// exponentials and one reciprocal; every element read and written once.
template <scalar T>
[[nodiscard]] constexpr work receipt(const softmax_args<T>& a) noexcept {
  const auto rows = static_cast<std::uint64_t>(a.x.rows), cols = static_cast<std::uint64_t>(a.x.cols);
  return {.flop = 4 * rows * cols, .special = rows * (cols + 1), .bytes = traffic_of(operands(a))};
}

/// Throws: as softmax().
template <scalar T>
void check(const softmax_args<T>& a) {
  require<shape_error>(a.x.rows == a.y.rows && a.x.cols == a.y.cols, "softmax: y is ", a.y, "; must be ", a.x.rows, 'x',
                       a.x.cols);
  require<shape_error>(a.x.cols > 0 || a.x.rows == 0, "softmax: x is ", a.x, "; rows must have an element");
  check_operands(a);
}

/// Computes the softmax of every row. The maximum is subtracted first, so finite inputs cannot overflow; a row with NaN
/// or +∞, or of only −∞, becomes NaN. y may be x.
/// Next: reference/losses.hpp is the definition, cpu/losses.hpp the fast one.
/// Work: receipt(softmax_args).
/// Throws: shape_error if the extents differ, rows are not contiguous or empty, a pointer is null, or y overlaps x in
/// part.
/// Example:
///   rp::softmax(on, logits, probability);
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
work softmax(const Backend& on, const matrix_in<E>& x, C&& y = {}) {
  static_assert(runs<Backend, softmax_args<E>, E>,
                "softmax: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "softmax: y must be a mutable matrix of float or double: a tensor or a matrix_view");
  return detail::run_checked<E>(on, softmax_args<E>{.x = x, .y = matrix_output<E>(y)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
