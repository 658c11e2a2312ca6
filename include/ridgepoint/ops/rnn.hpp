// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <type_traits>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

inline constexpr index_t rnn_gates = 1;

/// h(t) ← f(x(t)·wx + h(t − 1)·wh + bias), y(t) ← h(t).
template <scalar T>
struct rnn_args {
  static constexpr std::string_view name = "rnn";
  static constexpr product_kind product = product_kind::dense;
  recurrent<T> operands = {};
  activation act = activation::tanh;  // a fusable one
};

/// The gradients of rnn() for x, wx, wh, bias and h0, through time.
template <scalar T>
struct rnn_backward_args {
  static constexpr std::string_view name = "rnn_backward";
  static constexpr product_kind product = product_kind::dense;
  recurrent_backward<T> operands = {};
  activation act = activation::tanh;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const rnn_args<T>& a) noexcept {
  return detail::recurrent_operands(a.operands, a.operands.geometry(rnn_gates));
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const rnn_backward_args<T>& a) noexcept {
  return detail::recurrent_operands(a.operands, a.operands.geometry(rnn_gates), a.operands.x.steps);
}

/// Receipt of rnn(): recurrent products of one gate, and per unit and step a bias and the activation.
template <scalar T>
[[nodiscard]] constexpr work receipt(const rnn_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(rnn_gates);
  const auto cells = static_cast<std::uint64_t>(g.cells());
  return detail::recurrent_arithmetic(a.operands, g) + activation_arithmetic(a.act, cells) +
         work{.bytes = traffic_of(operands(a))};
}
/// Receipt of rnn_backward(): recurrent products of one gate, and per unit and step the activation's derivative.
template <scalar T>
[[nodiscard]] constexpr work receipt(const rnn_backward_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(rnn_gates);
  const auto cells = static_cast<std::uint64_t>(g.cells());
  return detail::recurrent_arithmetic(a.operands, g) + activation_backward_arithmetic(a.act, cells) +
         work{.bytes = traffic_of(operands(a))};
}

/// Throws: as rnn().
template <scalar T>
void check(const rnn_args<T>& a) {
  check_fusable("rnn", a.act);
  detail::check_recurrent("rnn", a.operands, a.operands.geometry(rnn_gates));
  check_operands(a);
}
/// Throws: as rnn_backward().
template <scalar T>
void check(const rnn_backward_args<T>& a) {
  check_fusable("rnn_backward", a.act);
  detail::check_recurrent("rnn_backward", a.operands, a.operands.geometry(rnn_gates));
  check_operands(a);
}

/// Optional inputs and outputs of rnn() in addition to y.
template <class T>
struct rnn_options {
  tensor_view<const T, 2> h0 = {};                            // (n, units); null: zeros
  tensor_view<T, 2> last = {};                                // (n, units): h of the last step
  ridgepoint::activation act = ridgepoint::activation::tanh;  // a fusable one
  [[no_unique_address]] named_act activation = {};
  tensor_view<const std::int32_t, 2> mask = {};  // (steps, n), as sequence_mask
};
/// Optional inputs and outputs of rnn_backward() in addition to dwx and dwh.
template <class T>
struct rnn_backward_options {
  tensor_view<const T, 2> h0 = {}, dlast = {};  // as in rnn(); the gradient of last
  tensor_view<T, 3> dx = {};                    // like x
  tensor_view<T, 1> db = {};                    // units
  tensor_view<T, 2> dh0 = {};                   // (n, units)
  ridgepoint::activation act = ridgepoint::activation::tanh;
  [[no_unique_address]] named_act activation = {};
  tensor_view<const std::int32_t, 2> mask = {};  // as in rnn()
};

/// y(t) ← h(t) = f(x(t)·wx + h(t − 1)·wh + bias), step after step; last ← h of the last step. y without data, but with
/// extents, is not written.
/// Next: reference/recurrent.hpp is the definition, ops/recurrent.hpp the operands.
/// Work: 2·steps·n·units·(in + units) matrix FLOP; see receipt().
/// Throws: shape_error for mismatched extents, no step, a null pointer, operands that overlap; value_error for an
/// activation that needs a parameter.
/// Example:
///   rp::rnn(on, x, wx, wh, bias, y, {.h0 = h0, .last = last});
template <class Backend, class C, class E = tensor_element<C, 3>>
work rnn(const Backend& on, const tensor_in<E, 3>& x, const matrix_in<E>& wx, const matrix_in<E>& wh,
         view_of<const E, 1> bias, C&& y, const std::type_identity_t<rnn_options<E>>& options = {}) {
  static_assert(runs<Backend, rnn_args<E>, E>,
                "rnn: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "rnn: y must be a mutable sequence of float or double: a tensor or a view");
  const tensor_view<E, 3> to = tensor_output<E, 3>(y);
  const detail::recurrent_checks g("rnn", x, to, rnn_gates);
  return detail::run_checked<E>(
      on, rnn_args<E>{.operands = g.template forward<E>(x, wx, wh, bias, to, options), .act = options.act});
}

/// The gradients of rnn() from y and dy: dwx, dwh and the outputs given in the options. dy without data, but with
/// extents, is zero.
/// Work: see receipt(). Throws: as rnn().
/// Example:
///   rp::rnn_backward(on, x, wx, wh, y, dy, dwx, dwh, {.dx = dx, .db = db});
template <class Backend, class C, class D, class E = matrix_element<C, deduced>>
work rnn_backward(const Backend& on, const tensor_in<E, 3>& x, const matrix_in<E>& wx, const matrix_in<E>& wh,
                  const tensor_in<E, 3>& y, const tensor_in<E, 3>& dy, C&& dwx, D&& dwh,
                  const std::type_identity_t<rnn_backward_options<E>>& options = {}) {
  static_assert(runs<Backend, rnn_backward_args<E>, E>,
                "rnn_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E> && (std::same_as<E, refused> || std::same_as<E, matrix_element<D, deduced>>),
                "rnn_backward: dwx and dwh must be mutable matrices of float or double: tensors or matrix_views");
  const detail::recurrent_checks g("rnn_backward", x, y, rnn_gates);
  return detail::run_checked<E>(
      on, rnn_backward_args<E>{.operands = g.template backward<E>(x, wx, wh, y, dy, matrix_output<E>(dwx),
                                                                  matrix_output<E>(dwh), options),
                               .act = options.act});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
