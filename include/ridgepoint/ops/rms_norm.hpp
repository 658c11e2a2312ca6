// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/channels_of.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/optimiser.hpp>
#include <ridgepoint/ops/run.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Hyper-parameters of root mean square normalisation.
struct rms_norm_options {
  double epsilon = 1e-6;  // added to the mean of squares, > 0
};

/// y ← x·inverse·gamma with inverse = 1/√(Σ x²/channels + ε) of each row's channels.
template <scalar T>
struct rms_norm_args {
  static constexpr std::string_view name = "rms_norm";
  rms_norm_options options = {};
  index_t rows = 0, channels = 0;  // rows: samples × pixels or steps
  const T* x = nullptr;            // (rows, channels)
  const T* gamma = nullptr;        // channels
  T* y = nullptr;                  // (rows, channels); may be x
  T* inverse = nullptr;            // rows, for the backward pass; null: not written
};

/// The gradients for x and gamma.
template <scalar T>
struct rms_norm_backward_args {
  static constexpr std::string_view name = "rms_norm_backward";
  index_t rows = 0, channels = 0;
  const T* x = nullptr;        // (rows, channels)
  const T* gamma = nullptr;    // channels
  const T* inverse = nullptr;  // rows: of the forward pass
  const T* dy = nullptr;       // (rows, channels)
  T* dx = nullptr;             // (rows, channels); null: not written; may be dy
  T* dgamma = nullptr;         // channels
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const rms_norm_args<T>& a) noexcept {
  const index_t r = a.rows, c = a.channels;
  return std::array{operand::input("x", a.x, r, c).overwritable(),
                    operand::weight("gamma", a.gamma, c).counting_if(r > 0), operand::output("y", a.y, r, c),
                    operand::output("inverse", a.inverse, r).optional()};
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const rms_norm_backward_args<T>& a) noexcept {
  const index_t r = a.rows, c = a.channels;
  return std::array{operand::input("x", a.x, r, c),
                    operand::weight("gamma", a.gamma, c).counting_if(r > 0 && a.dx != nullptr),
                    operand::input("inverse", a.inverse, r),
                    operand::input("dy", a.dy, r, c).overwritable(),
                    operand::output("dx", a.dx, r, c).optional(),
                    operand::output("dgamma", a.dgamma, c)};
}

template <scalar T>
[[nodiscard]] constexpr work receipt(const rms_norm_args<T>& a) noexcept {
  const auto r = static_cast<std::uint64_t>(a.rows), all = r * static_cast<std::uint64_t>(a.channels);
  return {.flop = 4 * all + 2 * r, .special = 2 * r, .bytes = traffic_of(operands(a))};
}
template <scalar T>
[[nodiscard]] constexpr work receipt(const rms_norm_backward_args<T>& a) noexcept {
  const auto r = static_cast<std::uint64_t>(a.rows), all = r * static_cast<std::uint64_t>(a.channels);
  const bool dx = a.dx != nullptr;
  return {.flop = (dx ? 10 : 3) * all + (dx ? 3 : 0) * r, .bytes = traffic_of(operands(a))};
}

/// Throws: as rms_norm().
template <scalar T>
void check(const rms_norm_args<T>& a) {
  detail::check_epsilon<T>("rms_norm", a.options.epsilon);
  require<shape_error>(a.channels > 0, "rms_norm: x is ", a.rows, 'x', a.channels, "; must have a channel");
  check_operands(a);
}
/// Throws: as rms_norm_backward().
template <scalar T>
void check(const rms_norm_backward_args<T>& a) {
  require<shape_error>(a.channels > 0, "rms_norm_backward: x is ", a.rows, 'x', a.channels, "; must have a channel");
  check_operands(a);
}

/// y ← x divided by the root mean square of its last extent: x·inverse·gamma with inverse = 1/√(Σ x²/channels + ε) of
/// each row's channels. Training stores inverse for the backward pass.
/// x and y are matrices, sequences, images or any dense tensors; gamma is a vector of channels. y may be x.
/// Next: reference/normalisation.hpp is the definition, cpu/normalisation.hpp the fast one.
/// Work: 4 FLOP per element, 2 FLOP and 2 specials per row, rows all extents but the last; reads x and gamma (weights),
/// writes y (and inverse).
/// Throws: shape_error for extents that disagree, no channels, a null pointer or operands that overlap; value_error for
/// an ε that is not positive.
/// Source: Zhang, Sennrich, Root Mean Square Layer Normalization, arXiv:1910.07467.
/// Example:
///   rp::rms_norm(on, x, gamma, y, inverse, {.epsilon = 1e-5});
template <class Backend, class C, class E = dense_element<C>>
work rms_norm(const Backend& on, const dense_in<E>& x, const vector_in<E>& gamma, C&& y, view_of<E, 1> inverse = {},
              const rms_norm_options& options = {}) {
  static_assert(runs<Backend, rms_norm_args<E>, E>,
                "rms_norm: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>,
                "rms_norm: y must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::channels_of g("rms_norm", x, "x");
  return detail::run_checked<E>(on, rms_norm_args<E>{.options = options,
                                                     .rows = g.rows,
                                                     .channels = g.channels,
                                                     .x = x.data,
                                                     .gamma = g.each("gamma", gamma),
                                                     .y = g.like("y", dense_output<E>(y), x),
                                                     .inverse = g.each_row("inverse", inverse)});
}
/// dgamma and, unless null, dx ← the gradients of rms_norm(), also through the root mean square. dx may be dy.
/// Work: 3 FLOP per element for dgamma, with dx 7 more, and 3 per row; reads x, dy and inverse (inputs) and for dx
/// gamma (weights), writes dgamma (and dx). Throws: as rms_norm().
/// Example:
///   rp::rms_norm_backward(on, x, gamma, inverse, dy, dx, dgamma);
template <class Backend, class C, class E = dense_element<C>>
work rms_norm_backward(const Backend& on, const dense_in<E>& x, const vector_in<E>& gamma, const vector_in<E>& inverse,
                       const dense_in<E>& dy, C&& dx, view_of<E, 1> dgamma) {
  static_assert(runs<Backend, rms_norm_backward_args<E>, E>,
                "rms_norm_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(
      has_output<Backend, E>,
      "rms_norm_backward: dx must be mutable and of float or double: a tensor, a tensor_view or a matrix_view");
  const detail::channels_of g("rms_norm_backward", x, "x");
  return detail::run_checked<E>(on, rms_norm_backward_args<E>{.rows = g.rows,
                                                              .channels = g.channels,
                                                              .x = x.data,
                                                              .gamma = g.each("gamma", gamma),
                                                              .inverse = g.each_row("inverse", inverse),
                                                              .dy = g.like("dy", dy, x),
                                                              .dx = g.like("dx", dense_output<E>(dx), x),
                                                              .dgamma = g.each("dgamma", dgamma)});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
