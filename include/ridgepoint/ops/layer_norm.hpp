// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/channels_of.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Hyper-parameters of layer and group normalisation.
struct layer_norm_options {
  double epsilon = 1e-3;  // added to the variance, > 0
};

/// y ← (x − mean)·inverse·gamma + beta with mean and inverse = 1/√(variance + ε) of each row's channels.
template <scalar T>
struct layer_norm_args {
  static constexpr std::string_view name = "layer_norm";
  layer_norm_options options = {};
  index_t rows = 0, channels = 0;  // rows: samples × pixels or steps
  const T* x = nullptr;            // (rows, channels)
  const T* gamma = nullptr;        // channels
  const T* beta = nullptr;
  T* y = nullptr;     // (rows, channels); may be x
  T* mean = nullptr;  // rows each, for the backward pass; both or none
  T* inverse = nullptr;
};

/// The gradients for x, gamma and beta.
template <scalar T>
struct layer_norm_backward_args {
  static constexpr std::string_view name = "layer_norm_backward";
  index_t rows = 0, channels = 0;
  const T* x = nullptr;      // (rows, channels)
  const T* gamma = nullptr;  // channels
  const T* mean = nullptr;   // rows, as inverse: of the forward pass
  const T* inverse = nullptr;
  const T* dy = nullptr;  // (rows, channels)
  T* dx = nullptr;        // (rows, channels); null: not written; may be dy
  T* dgamma = nullptr;    // channels
  T* dbeta = nullptr;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const layer_norm_args<T>& a) noexcept {
  const index_t r = a.rows, c = a.channels;
  return std::array{
      operand::input("x", a.x, r, c).overwritable(),         operand::weight("gamma", a.gamma, c).counting_if(r > 0),
      operand::weight("beta", a.beta, c).counting_if(r > 0), operand::output("y", a.y, r, c),
      operand::output("mean", a.mean, r).optional(),         operand::output("inverse", a.inverse, r).optional()};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const layer_norm_backward_args<T>& a) noexcept {
  const index_t r = a.rows, c = a.channels;
  return std::array{operand::input("x", a.x, r, c),
                    operand::weight("gamma", a.gamma, c).counting_if(r > 0 && a.dx != nullptr),
                    operand::input("mean", a.mean, r),
                    operand::input("inverse", a.inverse, r),
                    operand::input("dy", a.dy, r, c).overwritable(),
                    operand::output("dx", a.dx, r, c).optional(),
                    operand::output("dgamma", a.dgamma, c),
                    operand::output("dbeta", a.dbeta, c)};
}

/// Receipt of layer_norm(): 8 FLOP per element (1 mean, 3 variance, 4 result), 3 FLOP and 2 specials per row; reads x,
/// gamma and beta (weights), writes y (and mean and inverse).
template <scalar T>
[[nodiscard]] constexpr work receipt(const layer_norm_args<T>& a) noexcept {
  const auto r = static_cast<std::uint64_t>(a.rows), all = r * static_cast<std::uint64_t>(a.channels);
  return {.flop = 8 * all + 3 * r, .special = 2 * r, .bytes = traffic_of(operands(a))};
}
/// Receipt of layer_norm_backward(): 5 FLOP per element for dgamma and dbeta, with dx 10 more, and 4 per row; reads x,
/// dy, mean and inverse (inputs) and for dx gamma (weights), writes dgamma and dbeta (and dx).
template <scalar T>
[[nodiscard]] constexpr work receipt(const layer_norm_backward_args<T>& a) noexcept {
  const auto r = static_cast<std::uint64_t>(a.rows), all = r * static_cast<std::uint64_t>(a.channels);
  const bool dx = a.dx != nullptr;
  return {.flop = (dx ? 15 : 5) * all + (dx ? 4 : 0) * r, .bytes = traffic_of(operands(a))};
}

/// Throws: as layer_norm().
template <scalar T>
void check(const layer_norm_args<T>& a) {
  detail::check_epsilon<T>("layer_norm", a.options.epsilon);
  require<shape_error>(a.channels > 0, "layer_norm: x is ", a.rows, 'x', a.channels, "; must have a channel");
  require<shape_error>((a.mean == nullptr) == (a.inverse == nullptr),
                       "layer_norm: one of mean and inverse is a null pointer; must be both or none");
  check_operands(a);
}
/// Throws: as layer_norm_backward().
template <scalar T>
void check(const layer_norm_backward_args<T>& a) {
  require<shape_error>(a.channels > 0, "layer_norm_backward: x is ", a.rows, 'x', a.channels, "; must have a channel");
  check_operands(a);
}

/// Statistics of layer_norm() for its backward pass, a value per row: both or none.
template <class T>
struct layer_norm_kept {
  tensor_view<T, 1> mean = {}, inverse = {};
};

/// y ← x normalised over its last extent: (x − mean)·inverse·gamma + beta with mean and biased variance of each row's
/// channels, inverse = 1/√(variance + ε). Training stores mean and inverse for the backward pass.
/// x and y are matrices, sequences, images or any dense tensors; gamma and beta are vectors of channels. y may be x.
/// Next: reference/normalisation.hpp is the definition, cpu/normalisation.hpp the fast one.
/// Work: receipt(layer_norm_args), with rows all extents but the last.
/// Throws: shape_error for extents that disagree, no channels, a null pointer or operands that overlap; value_error for
/// an ε that is not positive.
/// Source: Ba, Kiros, Hinton, Layer Normalization, arXiv:1607.06450.
/// Example:
///   rp::layer_norm(on, x, gamma, beta, y, {.mean = mean, .inverse = inverse}, {.epsilon = 1e-5});
template <class Backend, class C, class E = dense_element<C>>
work layer_norm(const Backend& on, const dense_in<E>& x, const vector_in<E>& gamma, const vector_in<E>& beta, C&& y,
                const std::type_identity_t<layer_norm_kept<E>>& kept = {}, const layer_norm_options& options = {}) {
  static_assert(runs<Backend, layer_norm_args<E>, E>,
                "layer_norm: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "layer_norm: y must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::channels_of g("layer_norm", x, "x");
  return detail::run_checked<E>(on, layer_norm_args<E>{.options = options,
                                                       .rows = g.rows,
                                                       .channels = g.channels,
                                                       .x = x.data,
                                                       .gamma = g.each("gamma", gamma),
                                                       .beta = g.each("beta", beta),
                                                       .y = g.like("y", dense_output<E>(y), x),
                                                       .mean = g.each_row("mean", kept.mean),
                                                       .inverse = g.each_row("inverse", kept.inverse)});
}
/// dgamma, dbeta and, unless null, dx ← the gradients of layer_norm(), also through mean and variance. dx may be dy.
/// Work: receipt(layer_norm_backward_args). Throws: as layer_norm().
/// Example:
///   rp::layer_norm_backward(on, x, gamma, mean, inverse, dy, dx, dgamma, dbeta);
template <class Backend, class C, class E = dense_element<C>>
work layer_norm_backward(const Backend& on, const dense_in<E>& x, const vector_in<E>& gamma, const vector_in<E>& mean,
                         const vector_in<E>& inverse, const dense_in<E>& dy, C&& dx, view_of<E, 1> dgamma,
                         view_of<E, 1> dbeta) {
  static_assert(runs<Backend, layer_norm_backward_args<E>, E>,
                "layer_norm_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(
      has_output<Backend, E>,
      "layer_norm_backward: dx must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::channels_of g("layer_norm_backward", x, "x");
  return detail::run_checked<E>(on, layer_norm_backward_args<E>{.rows = g.rows,
                                                                .channels = g.channels,
                                                                .x = x.data,
                                                                .gamma = g.each("gamma", gamma),
                                                                .mean = g.each_row("mean", mean),
                                                                .inverse = g.each_row("inverse", inverse),
                                                                .dy = g.like("dy", dy, x),
                                                                .dx = g.like("dx", dense_output<E>(dx), x),
                                                                .dgamma = g.each("dgamma", dgamma),
                                                                .dbeta = g.each("dbeta", dbeta)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
