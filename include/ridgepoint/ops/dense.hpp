// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Options of dense(), by name.
struct dense_options {
  ridgepoint::activation act = ridgepoint::activation::none;  // a fusable one
  [[no_unique_address]] named_act activation = {};
};

/// y ← f(x·w + bias).
template <scalar T>
struct dense_args {
  static constexpr std::string_view name = "dense";
  static constexpr product_kind product = product_kind::dense;
  matrix_view<const T> x, w;          // n×in, in×out
  const T* bias = nullptr;            // out values; null: none
  matrix_view<T> y;                   // n×out
  activation act = activation::none;  // a fusable one
};

/// dx ← dy·wᵀ.
template <scalar T>
struct dense_backward_data_args {
  static constexpr std::string_view name = "dense_backward_data";
  static constexpr product_kind product = product_kind::dense;
  matrix_view<const T> dy, w;  // n×out, in×out
  matrix_view<T> dx;           // n×in
};

/// dw ← xᵀ·dy, db(j) ← Σ_i dy(i, j).
template <scalar T>
struct dense_backward_weights_args {
  static constexpr std::string_view name = "dense_backward_weights";
  static constexpr product_kind product = product_kind::dense;
  matrix_view<const T> x, dy;  // n×in, n×out
  matrix_view<T> dw;           // in×out
  T* db = nullptr;             // out values; null: not written
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const dense_args<T>& d) noexcept {
  const bool some_x = d.x.rows > 0, some_w = d.w.cols > 0;
  return std::array{operand::input("x", d.x).counting_if(some_w), operand::weight("w", d.w).counting_if(some_x),
                    operand::output("y", d.y),
                    operand::weight("bias", d.bias, d.w.cols).counting_if(some_x).optional()};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const dense_backward_data_args<T>& d) noexcept {
  const bool some_dy = d.dy.rows > 0, some_w = d.w.rows > 0;
  return std::array{operand::input("dy", d.dy).counting_if(some_w), operand::weight("w", d.w).counting_if(some_dy),
                    operand::output("dx", d.dx)};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const dense_backward_weights_args<T>& d) noexcept {
  const bool some_dy = d.dy.cols > 0, reads_dy = d.x.cols > 0 || d.db != nullptr;
  return std::array{operand::input("x", d.x).counting_if(some_dy), operand::input("dy", d.dy).counting_if(reads_dy),
                    operand::output("dw", d.dw), operand::output("db", d.db, d.dy.cols).optional()};
}

namespace detail {
/// The product of a pass, and an addition and the activation per element of n×out; a null bias adds nothing.
[[nodiscard]] constexpr work dense_arithmetic(index_t n, index_t in, index_t out, const void* bias,
                                              activation act = activation::none) noexcept {
  const auto elements = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(out);
  const std::uint64_t products = 2 * elements * static_cast<std::uint64_t>(in);
  return work{.flop = products + (bias != nullptr ? elements : 0), .matrix_flop = products} +
         activation_arithmetic(act, elements);
}
}  // namespace detail

/// Receipt of dense(): 2·n·in·out matrix FLOP, n·out for a bias, the activation's; reads x and w (+bias),
/// writes y.
template <scalar T>
[[nodiscard]] constexpr work receipt(const dense_args<T>& d) noexcept {
  return detail::dense_arithmetic(d.x.rows, d.x.cols, d.w.cols, d.bias, d.act) + work{.bytes = traffic_of(operands(d))};
}
/// Receipt of dense_backward_data(): 2·n·in·out matrix FLOP; reads dy and w, writes dx.
template <scalar T>
[[nodiscard]] constexpr work receipt(const dense_backward_data_args<T>& d) noexcept {
  return detail::dense_arithmetic(d.dy.rows, d.w.rows, d.w.cols, nullptr) + work{.bytes = traffic_of(operands(d))};
}
/// Receipt of dense_backward_weights(): 2·n·in·out matrix FLOP, n·out for db; reads x and dy (inputs), writes dw (+db).
template <scalar T>
[[nodiscard]] constexpr work receipt(const dense_backward_weights_args<T>& d) noexcept {
  return detail::dense_arithmetic(d.x.rows, d.x.cols, d.dy.cols, d.db) + work{.bytes = traffic_of(operands(d))};
}

namespace detail {
/// Throws: shape_error unless the result of a product has these extents.
template <scalar T>
void check_result(std::string_view op, std::string_view name, const matrix_view<T>& v, index_t rows, index_t cols) {
  require<shape_error>(v.rows == rows && v.cols == cols, op, ": ", name, " is ", v, "; must be ", rows, 'x', cols);
}
}  // namespace detail

/// Throws: as dense().
template <scalar T>
void check(const dense_args<T>& d) {
  require<shape_error>(d.x.cols == d.w.rows, "dense: x is ", d.x, " but w is ", d.w, "; x.cols must equal w.rows");
  detail::check_result("dense", "y", d.y, d.x.rows, d.w.cols);
  check_fusable("dense", d.act);
  check_operands(d);
}
/// Throws: as dense_backward_data().
template <scalar T>
void check(const dense_backward_data_args<T>& d) {
  require<shape_error>(d.dy.cols == d.w.cols, "dense_backward_data: dy is ", d.dy, " but w is ", d.w,
                       "; dy.cols must equal w.cols");
  detail::check_result("dense_backward_data", "dx", d.dx, d.dy.rows, d.w.rows);
  check_operands(d);
}
/// Throws: as dense_backward_weights().
template <scalar T>
void check(const dense_backward_weights_args<T>& d) {
  require<shape_error>(d.x.rows == d.dy.rows, "dense_backward_weights: x is ", d.x, " but dy is ", d.dy,
                       "; rows must be equal");
  detail::check_result("dense_backward_weights", "dw", d.dw, d.x.cols, d.dy.cols);
  check_operands(d);
}

/// y ← f(x·w + bias) for x (n×in), w (in×out), bias (out values or nullptr), y (n×out); rows
/// contiguous.
/// Next: reference/gemm.hpp is the definition, cpu/dense.hpp the fast one, ops/gemm.hpp its product.
/// Work: receipt(dense_args).
/// Throws: shape_error if extents disagree, rows are not contiguous, a pointer is null, bias is a range of another
/// size, or y overlaps x, w or bias; value_error for an activation that needs a parameter.
/// Example:
///   rp::dense(on, x, w, bias, y, rp::activation::relu);
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
work dense(const Backend& on, const matrix_in<E>& x, const matrix_in<E>& w, const elements_in<E>& bias, C&& y,
           activation act = activation::none) {
  static_assert(runs<Backend, dense_args<E>, E>,
                "dense: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "dense: y must be a mutable matrix of float or double: a tensor or a matrix_view");
  return detail::run_checked<E>(
      on, dense_args<E>{
              .x = x, .w = w, .bias = bias.first_of(w.cols, "dense", "bias"), .y = matrix_output<E>(y), .act = act});
}
/// Takes the activation as an option, like gemm(): dense(on, x, w, bias, y, {.act = rp::activation::relu}).
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
work dense(const Backend& on, const matrix_in<E>& x, const matrix_in<E>& w, const elements_in<E>& bias, C&& y,
           const dense_options& options) {
  return dense<T>(on, x, w, bias, y, options.act);
}
/// dx ← dy·wᵀ: the gradient of dense() (without its activation) for x.
/// Work: receipt(dense_backward_data_args). Throws: as dense().
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
work dense_backward_data(const Backend& on, const matrix_in<E>& dy, const matrix_in<E>& w, C&& dx = {}) {
  static_assert(runs<Backend, dense_backward_data_args<E>, E>,
                "dense_backward_data: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "dense_backward_data: dx must be a mutable matrix of float or double: a tensor or a matrix_view");
  return detail::run_checked<E>(on, dense_backward_data_args<E>{.dy = dy, .w = w, .dx = matrix_output<E>(dx)});
}
/// dw ← xᵀ·dy and, unless db is null, db ← column sums of dy: the gradients for w and bias. An empty batch gives zeros.
/// Work: receipt(dense_backward_weights_args).
/// Throws: as dense(); dw and db must not overlap each other, x or dy.
template <class T = deduced, class Backend, class C = matrix_view<T>, class E = matrix_element<C, T>>
work dense_backward_weights(const Backend& on, const matrix_in<E>& x, const matrix_in<E>& dy, C&& dw,
                            const elements_out<E>& db) {
  static_assert(runs<Backend, dense_backward_weights_args<E>, E>,
                "dense_backward_weights: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "dense_backward_weights: dw must be a mutable matrix of float or double: a tensor or a matrix_view");
  return detail::run_checked<E>(
      on,
      dense_backward_weights_args<E>{
          .x = x, .dy = dy, .dw = matrix_output<E>(dw), .db = db.first_of(dy.cols, "dense_backward_weights", "db")});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
