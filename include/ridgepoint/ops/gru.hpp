// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <type_traits>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Where the reset gate of a GRU acts.
enum class gru_reset {
  before,  // on the state, before its product: n = tanh(x·wx_n + (r∘h)·wh_n + bias_n)
  after    // on the product: n = tanh(x·wx_n + bias_n + r∘(h·wh_n + recurrent_bias_n)), as cuDNN and Keras 2
};

[[nodiscard]] constexpr std::string_view to_string(gru_reset r) noexcept {
  return r == gru_reset::before ? "reset-before" : "reset-after";
}

inline constexpr index_t gru_gates = 3;  // in the order r, z, n

/// r, z ← σ of x(t)·wx + h(t − 1)·wh + bias, σ being the `gate`; n by gru_reset;
/// h(t) ← (1 − z)·n + z·h(t − 1), y(t) ← h(t).
template <scalar T>
struct gru_args {
  static constexpr std::string_view name = "gru";
  static constexpr product_kind product = product_kind::dense;
  recurrent<T> operands = {};
  gru_reset reset = gru_reset::before;
  const T* recurrent_bias = nullptr;      // reset after only: 3·units; null: none
  T* gates = nullptr;                     // (steps, n, saved·units), for the backward pass
  activation gate = activation::sigmoid;  // or hard_sigmoid, as in Keras before 2.3

  /// Returns the values per unit and step for the backward pass: r, z, n, and for reset-after the product that r
  /// scales.
  [[nodiscard]] static constexpr index_t saved(gru_reset reset) noexcept { return reset == gru_reset::before ? 3 : 4; }
};

/// The gradients of gru() for x, wx, wh, the biases and h0, through time.
template <scalar T>
struct gru_backward_args {
  static constexpr std::string_view name = "gru_backward";
  static constexpr product_kind product = product_kind::dense;
  recurrent_backward<T> operands = {};
  gru_reset reset = gru_reset::before;
  const T* gates = nullptr;      // as written by gru()
  T* drecurrent_bias = nullptr;  // reset after only: 3·units; null: not written
  activation gate = activation::sigmoid;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const gru_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  const index_t saved = a.saved(a.reset) * g.units;
  return detail::recurrent_operands(
      a.operands, g,
      std::array{
          operand::weight("recurrent_bias", a.recurrent_bias, g.columns()).counting_if(g.cells() > 0).optional()},
      std::array{operand::output("gates", a.gates, g.steps, g.n, saved).optional()});
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const gru_backward_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  const index_t saved = gru_args<T>::saved(a.reset) * g.units;
  return detail::recurrent_operands(
      a.operands, g, g.steps - 1, std::array{operand::input("gates", a.gates, g.steps, g.n, saved)},
      std::array{operand::output("drecurrent_bias", a.drecurrent_bias, g.columns()).optional()});
}

/// Receipt of gru(): recurrent products of three gates, and per unit and step three biases, three recurrent ones if
/// given, a special, 5 FLOP (reset-after: 6) and the activation of two gates; writes gates if requested.
template <scalar T>
[[nodiscard]] constexpr work receipt(const gru_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  const auto cells = static_cast<std::uint64_t>(g.cells());
  const unsigned each = (a.reset == gru_reset::before ? 5U : 6U) + (a.recurrent_bias != nullptr ? 3U : 0U);
  return detail::recurrent_arithmetic(a.operands, g) + activation_arithmetic(a.gate, 2 * cells) +
         work{.flop = each * cells, .special = cells, .bytes = traffic_of(operands(a))};
}
/// Receipt of gru_backward(): recurrent products of three gates, and per unit and step 18 FLOP (reset-after: 16) and
/// three for drecurrent_bias; reads gates.
template <scalar T>
[[nodiscard]] constexpr work receipt(const gru_backward_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(gru_gates);
  const auto cells = static_cast<std::uint64_t>(g.cells());
  const unsigned each = (a.reset == gru_reset::before ? 18U : 16U) + (a.drecurrent_bias != nullptr ? 3U : 0U);
  return detail::recurrent_arithmetic(a.operands, g) + work{.flop = each * cells, .bytes = traffic_of(operands(a))};
}

namespace detail {
/// Throws: value_error for an unknown reset, or a recurrent bias with reset-before.
template <scalar T>
void check_reset(std::string_view op, gru_reset reset, const T* recurrent_bias) {
  require<value_error>(reset == gru_reset::before || reset == gru_reset::after, op, ": reset is number ",
                       static_cast<int>(reset), "; must be before or after");
  require<value_error>(reset == gru_reset::after || recurrent_bias == nullptr, op,
                       ": has a recurrent bias with reset-before; only reset-after has one");
}
}  // namespace detail

/// Throws: as gru().
template <scalar T>
void check(const gru_args<T>& a) {
  detail::check_reset("gru", a.reset, a.recurrent_bias);
  detail::check_gate("gru", a.gate);
  detail::check_recurrent("gru", a.operands, a.operands.geometry(gru_gates));
  check_operands(a);
}
/// Throws: as gru_backward().
template <scalar T>
void check(const gru_backward_args<T>& a) {
  detail::check_reset("gru_backward", a.reset, a.drecurrent_bias);
  detail::check_gate("gru_backward", a.gate);
  detail::check_recurrent("gru_backward", a.operands, a.operands.geometry(gru_gates));
  check_operands(a);
}

/// Optional inputs and outputs of gru() in addition to y.
template <class T>
struct gru_options {
  tensor_view<const T, 2> h0 = {};  // (n, units); null: zeros
  tensor_view<T, 2> last = {};      // (n, units): h of the last step
  gru_reset reset = gru_reset::before;
  tensor_view<const T, 1> recurrent_bias = {};                    // 3·units, reset after only
  tensor_view<T, 3> gates = {};                                   // (steps, n, saved·units) for the backward pass
  tensor_view<const std::int32_t, 2> mask = {};                   // (steps, n), as sequence_mask
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
};
/// Optional inputs and outputs of gru_backward() in addition to dwx and dwh.
template <class T>
struct gru_backward_options {
  tensor_view<const T, 2> h0 = {}, dlast = {};  // as in gru(); the gradient of last
  tensor_view<T, 3> dx = {};                    // like x
  tensor_view<T, 1> db = {};                    // 3·units
  tensor_view<T, 2> dh0 = {};                   // (n, units)
  gru_reset reset = gru_reset::before;
  tensor_view<T, 1> drecurrent_bias = {};                         // 3·units, reset after only
  tensor_view<const std::int32_t, 2> mask = {};                   // as in gru()
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
};

/// y(t) ← h(t) of a gated recurrent unit, step after step; last ← h of the last step. gates, if requested, is an input
/// of the backward pass.
/// Next: reference/recurrent.hpp is the definition, ops/recurrent.hpp the operands.
/// Work: 2·steps·n·3·units·(in + units) matrix FLOP; see receipt().
/// Throws: shape_error for mismatched extents, no step, a null pointer, operands that overlap; value_error for a
/// recurrent bias without reset-after.
/// Example:
///   rp::gru(on, x, wx, wh, bias, y, {.reset = rp::gru_reset::after, .gates = gates});
template <class Backend, class C, class E = tensor_element<C, 3>>
work gru(const Backend& on, const tensor_in<E, 3>& x, const matrix_in<E>& wx, const matrix_in<E>& wh,
         view_of<const E, 1> bias, C&& y, const std::type_identity_t<gru_options<E>>& options = {}) {
  static_assert(runs<Backend, gru_args<E>, E>,
                "gru: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "gru: y must be a mutable sequence of float or double: a tensor or a view");
  const tensor_view<E, 3> to = tensor_output<E, 3>(y);
  const detail::recurrent_checks g("gru", x, to, gru_gates);
  return detail::run_checked<E>(on,
                                gru_args<E>{.operands = g.template forward<E>(x, wx, wh, bias, to, options),
                                            .reset = options.reset,
                                            .recurrent_bias = g.bias("recurrent_bias", options.recurrent_bias),
                                            .gates = g.cells("gates", options.gates, gru_args<E>::saved(options.reset)),
                                            .gate = options.gate});
}

/// The gradients of gru() from y, gates and dy.
/// Work: see receipt(). Throws: as gru().
/// Example:
///   rp::gru_backward(on, x, wx, wh, y, gates, dy, dwx, dwh, {.dx = dx, .reset = rp::gru_reset::after});
template <class Backend, class C, class D, class E = matrix_element<C, deduced>>
work gru_backward(const Backend& on, const tensor_in<E, 3>& x, const matrix_in<E>& wx, const matrix_in<E>& wh,
                  const tensor_in<E, 3>& y, const tensor_in<E, 3>& gates, const tensor_in<E, 3>& dy, C&& dwx, D&& dwh,
                  const std::type_identity_t<gru_backward_options<E>>& options = {}) {
  static_assert(runs<Backend, gru_backward_args<E>, E>,
                "gru_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E> && (std::same_as<E, refused> || std::same_as<E, matrix_element<D, deduced>>),
                "gru_backward: dwx and dwh must be mutable matrices of float or double: tensors or matrix_views");
  const detail::recurrent_checks g("gru_backward", x, y, gru_gates);
  return detail::run_checked<E>(
      on, gru_backward_args<E>{.operands = g.template backward<E>(x, wx, wh, y, dy, matrix_output<E>(dwx),
                                                                  matrix_output<E>(dwh), options),
                               .reset = options.reset,
                               .gates = g.cells("gates", gates, gru_args<E>::saved(options.reset)),
                               .drecurrent_bias = g.bias("drecurrent_bias", options.drecurrent_bias),
                               .gate = options.gate});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
