// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

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

/// Throws: as gru() of ops/recurrent_views.hpp.
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
