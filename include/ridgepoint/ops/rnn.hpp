// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

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

/// Throws: as rnn() of ops/recurrent_views.hpp.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
