// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/operands.hpp>
#include <ridgepoint/ops/run.hpp>
#include <ridgepoint/ops/work_options.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// y ← f(x·w + bias).
template <scalar T>
struct dense_args {
  matrix_view<const T> x, w;          // n×in, in×out
  const T* bias = nullptr;            // out values; null: none
  matrix_view<T> y;                   // n×out
  activation act = activation::none;  // a fusable one
};

/// dx ← dy·wᵀ.
template <scalar T>
struct dense_backward_data_args {
  matrix_view<const T> dy, w;  // n×out, in×out
  matrix_view<T> dx;           // n×in
};

/// dw ← xᵀ·dy, db(j) ← Σ_i dy(i, j).
template <scalar T>
struct dense_backward_weights_args {
  matrix_view<const T> x, dy;  // n×in, n×out
  matrix_view<T> dw;           // in×out
  T* db = nullptr;             // out values; null: not wanted
};

/// Receipt of dense(): 2·n·in·out matrix FLOP, n·out for a bias, the activation's; reads x and w (+bias),
/// writes y.
template <scalar T>
[[nodiscard]] constexpr work dense_work(index_t n, index_t in, index_t out, fused_work_options options) noexcept {
  work receipt = gemm_work<T>(n, out, in);
  if (options.bias && n > 0)
    receipt += work{.flop = static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(out),
                    .bytes = {.weights = detail::bytes_of<T>(out)}};
  return receipt += activation_arithmetic(options.act, static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(out));
}
/// Receipt of dense_backward_data(): 2·n·in·out matrix FLOP; reads dy and w, writes dx.
template <scalar T>
[[nodiscard]] constexpr work dense_backward_data_work(index_t n, index_t in, index_t out) noexcept {
  return gemm_work<T>(n, in, out);
}
/// Receipt of dense_backward_weights(): 2·n·in·out matrix FLOP, n·out for db; reads x and dy (inputs), writes dw (+db).
template <scalar T>
[[nodiscard]] constexpr work dense_backward_weights_work(index_t n, index_t in, index_t out,
                                                         bias_work_options options) noexcept {
  work receipt = gemm_work<T>(in, out, n);
  receipt.flop += options.bias ? static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(out) : 0;
  receipt.bytes = {.inputs = detail::bytes_of<T>(n * in + n * out),
                   .outputs = detail::bytes_of<T>(in * out + (options.bias ? out : 0))};
  return receipt;
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const dense_args<T>& d) noexcept {
  return dense_work<T>(d.x.rows, d.x.cols, d.w.cols, {.bias = d.bias != nullptr, .act = d.act});
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const dense_backward_data_args<T>& d) noexcept {
  return dense_backward_data_work<T>(d.dy.rows, d.w.rows, d.w.cols);
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const dense_backward_weights_args<T>& d) noexcept {
  return dense_backward_weights_work<T>(d.x.rows, d.x.cols, d.dy.cols, {.bias = d.db != nullptr});
}

namespace detail {
/// Throws: shape_error if the matrix shares memory with a vector that may be null; matrices have passed check_rows().
template <scalar T, class U>
void check_vector_apart(std::string_view op, std::string_view matrix_name, const matrix_view<U>& matrix,
                        std::string_view name, const T* vector, index_t size) {
  check_apart(op, name, vector, vector == nullptr ? 0 : size, matrix_name, matrix.data, extent_elements(matrix));
}
/// Throws: shape_error where an operand is malformed, out is not rows × cols, or out shares memory with an operand.
template <scalar T>
void check_product(std::string_view op, std::string_view a_name, const matrix_view<const T>& a, std::string_view b_name,
                   const matrix_view<const T>& b, std::string_view out_name, const matrix_view<T>& out, index_t rows,
                   index_t cols) {
  check_rows(op, a_name, a);
  check_rows(op, b_name, b);
  check_rows(op, out_name, out);
  require<shape_error>(out.rows == rows && out.cols == cols, op, ": ", out_name, " is ", out, "; must be ", rows, 'x',
                       cols);
  require<shape_error>(!overlap(out.data, extent_bytes(out), a.data, extent_bytes(a)), op, ": ", out_name, " overlaps ",
                       a_name, "; must be apart");
  require<shape_error>(!overlap(out.data, extent_bytes(out), b.data, extent_bytes(b)), op, ": ", out_name, " overlaps ",
                       b_name, "; must be apart");
}
}  // namespace detail

/// Throws: where dense() does.
template <scalar T>
void check(const dense_args<T>& d) {
  require<shape_error>(d.x.cols == d.w.rows, "dense: x is ", d.x, " but w is ", d.w, "; x.cols must equal w.rows");
  detail::check_product<T>("dense", "x", d.x, "w", d.w, "y", d.y, d.x.rows, d.w.cols);
  detail::check_vector_apart("dense", "y", d.y, "bias", d.bias, d.w.cols);
  check_fusable("dense", d.act);
}
/// Throws: where dense_backward_data() does.
template <scalar T>
void check(const dense_backward_data_args<T>& d) {
  require<shape_error>(d.dy.cols == d.w.cols, "dense_backward_data: dy is ", d.dy, " but w is ", d.w,
                       "; dy.cols must equal w.cols");
  detail::check_product<T>("dense_backward_data", "dy", d.dy, "w", d.w, "dx", d.dx, d.dy.rows, d.w.rows);
}
/// Throws: where dense_backward_weights() does.
template <scalar T>
void check(const dense_backward_weights_args<T>& d) {
  require<shape_error>(d.x.rows == d.dy.rows, "dense_backward_weights: x is ", d.x, " but dy is ", d.dy,
                       "; rows must be equal");
  detail::check_product<T>("dense_backward_weights", "x", d.x, "dy", d.dy, "dw", d.dw, d.x.cols, d.dy.cols);
  detail::check_vector_apart("dense_backward_weights", "dw", d.dw, "db", d.db, d.dy.cols);
  detail::check_vector_apart("dense_backward_weights", "x", d.x, "db", d.db, d.dy.cols);
  detail::check_vector_apart("dense_backward_weights", "dy", d.dy, "db", d.db, d.dy.cols);
}

/// y ← f(x·w + bias) for x (n×in), w (in×out), bias (out values or null), y (n×out); rows contiguous.
/// Next: reference/dense.hpp is the definition, cpu/dense.hpp the fast one, ops/gemm.hpp what it is made of.
/// Work: dense_work(n, in, out, {.bias = bias != nullptr, .act = act}).
/// Throws: shape_error if extents disagree, rows are not contiguous, a pointer is null or y overlaps x, w or bias;
/// value_error for an activation that needs a parameter.
/// Example:
///   rp::dense(on, x.matrix(), w.matrix(), bias.data(), y.matrix(), rp::activation::relu);
template <scalar T, backend Backend>
  requires(executes<Backend, dense_args<T>>)
work dense(const Backend& on, std::type_identity_t<matrix_view<const T>> x,
           std::type_identity_t<matrix_view<const T>> w, std::type_identity_t<const T*> bias, matrix_view<T> y,
           activation act = activation::none) {
  return run(on, dense_args<T>{.x = x, .w = w, .bias = bias, .y = y, .act = act});
}
/// dx ← dy·wᵀ: the gradient of dense() (without its activation) for x.
/// Work: dense_backward_data_work(n, in, out). Throws: as dense().
template <scalar T, backend Backend>
  requires(executes<Backend, dense_backward_data_args<T>>)
work dense_backward_data(const Backend& on, std::type_identity_t<matrix_view<const T>> dy,
                         std::type_identity_t<matrix_view<const T>> w, matrix_view<T> dx) {
  return run(on, dense_backward_data_args<T>{.dy = dy, .w = w, .dx = dx});
}
/// dw ← xᵀ·dy and, unless db is null, db ← column sums of dy: the gradients for w and bias. An empty batch gives zeros.
/// Work: dense_backward_weights_work(n, in, out, {.bias = db != nullptr}).
/// Throws: as dense(); x, dy, dw and db must be apart, but for x and dy.
template <scalar T, backend Backend>
  requires(executes<Backend, dense_backward_weights_args<T>>)
work dense_backward_weights(const Backend& on, std::type_identity_t<matrix_view<const T>> x,
                            std::type_identity_t<matrix_view<const T>> dy, matrix_view<T> dw,
                            std::type_identity_t<T*> db) {
  return run(on, dense_backward_weights_args<T>{.x = x, .dy = dy, .dw = dw, .db = db});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
