// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

inline constexpr index_t rnn_gates = 1;

/// h(t) ← f(x(t)·wx + h(t − 1)·wh + bias), y(t) ← h(t).
template <scalar T>
struct rnn_args {
  recurrent<T> operands = {};
  activation act = activation::tanh;  // a fusable one
};

/// The gradients of rnn() for x, wx, wh, bias and h0, through time.
template <scalar T>
struct rnn_backward_args {
  recurrent_backward<T> operands = {};
  activation act = activation::tanh;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const rnn_args<T>& a) noexcept {
  return detail::recurrent_operands(a.operands, rnn_gates);
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const rnn_backward_args<T>& a) noexcept {
  return detail::recurrent_operands(a.operands, rnn_gates, a.operands.x.steps);
}

/// Receipt of rnn(): recurrent products of one gate, and per unit and step a bias and the activation.
template <scalar T>
[[nodiscard]] constexpr work receipt(const rnn_args<T>& a) noexcept {
  const auto cells = static_cast<std::uint64_t>(a.operands.geometry(rnn_gates).cells());
  return detail::recurrent_arithmetic(a.operands, rnn_gates) + activation_arithmetic(a.act, cells) +
         work{.bytes = traffic_of(operands(a))};
}
/// Receipt of rnn_backward(): recurrent products of one gate, and per unit and step the activation's derivative.
template <scalar T>
[[nodiscard]] constexpr work receipt(const rnn_backward_args<T>& a) noexcept {
  const auto cells = static_cast<std::uint64_t>(a.operands.geometry(rnn_gates).cells());
  return detail::recurrent_arithmetic(a.operands, rnn_gates) + activation_backward_arithmetic(a.act, cells) +
         work{.bytes = traffic_of(operands(a))};
}

/// Throws: where rnn() does.
template <scalar T>
void check(const rnn_args<T>& a) {
  check_fusable("rnn", a.act);
  detail::check_recurrent("rnn", a.operands, rnn_gates);
  check_operands("rnn", operands(a));
}
/// Throws: where rnn_backward() does.
template <scalar T>
void check(const rnn_backward_args<T>& a) {
  check_fusable("rnn_backward", a.act);
  detail::check_recurrent("rnn_backward", a.operands, rnn_gates);
  check_operands("rnn_backward", operands(a));
}

/// y(t) ← h(t) = f(x(t)·wx + h(t − 1)·wh + bias), step after step; last ← h of the last step.
/// Next: reference/rnn.hpp is the definition, ops/recurrent.hpp the operands.
/// Work: 2·steps·n·units·(in + units) matrix FLOP; see receipt().
/// Throws: shape_error for extents that do not belong together or fit, no step, a null pointer, operands that overlap;
/// value_error for an activation that needs a parameter.
/// Example:
///   rp::rnn(on, rp::rnn_args<float>{.operands = {.x = rp::sequence_view<const float>::time_major(x, t, n, in),
///                                                        .wx = wx, .wh = wh, .bias = bias, .y = y}});
template <scalar T, class Backend>
work rnn(const Backend& on, const rnn_args<T>& args) {
  static_assert(runs<Backend, rnn_args<T>>, "rnn: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}
/// The gradients of rnn() from y and dy. Work: see receipt(). Throws: as rnn().
template <scalar T, class Backend>
work rnn_backward(const Backend& on, const rnn_backward_args<T>& args) {
  static_assert(runs<Backend, rnn_backward_args<T>>,
                "rnn_backward: the first argument must be a backend that has it, such as rp::cpu");
  return detail::run_checked(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
