// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include <ridgepoint/ops/recurrent.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

inline constexpr index_t lstm_gates = 4;  // in the order i, f, g, o

/// i, f, g, o ← σ, σ, tanh, σ of x(t)·wx + h(t − 1)·wh + bias, σ being the `gate`; c(t) ← f·c(t − 1) + i·g;
/// h(t) ← o·tanh(c(t)), y(t) ← h(t).
template <scalar T>
struct lstm_args {
  static constexpr std::string_view name = "lstm";
  static constexpr product_kind product = product_kind::dense;
  recurrent<T> operands = {};
  const T* c0 = nullptr;                  // (n, units); null: zeros
  T* c = nullptr;                         // (steps, n, units) } for the backward pass;
  T* gates = nullptr;                     // (steps, n, 4·units) } both or none
  T* last_c = nullptr;                    // (n, units), the last step's c; null: not written
  activation gate = activation::sigmoid;  // or hard_sigmoid, as in Keras before 2.3
};

/// The gradients of lstm() for x, wx, wh, bias, h0 and c0, through time.
template <scalar T>
struct lstm_backward_args {
  static constexpr std::string_view name = "lstm_backward";
  static constexpr product_kind product = product_kind::dense;
  recurrent_backward<T> operands = {};
  const T* c0 = nullptr;
  const T* c = nullptr;  // as written by lstm()
  const T* gates = nullptr;
  T* dc0 = nullptr;            // (n, units); null: not written
  const T* dlast_c = nullptr;  // (n, units), gradient of last_c; null: zeros
  activation gate = activation::sigmoid;
};

template <scalar T>
[[nodiscard]] constexpr auto operands(const lstm_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  return detail::recurrent_operands(a.operands, g, std::array{operand::input("c0", a.c0, g.n, g.units).optional()},
                                    std::array{operand::output("c", a.c, g.steps, g.n, g.units).optional(),
                                               operand::output("gates", a.gates, g.steps, g.n, g.columns()).optional(),
                                               operand::output("last_c", a.last_c, g.n, g.units).optional()});
}
template <scalar T>
[[nodiscard]] constexpr auto operands(const lstm_backward_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  return detail::recurrent_operands(a.operands, g, g.steps - 1,
                                    std::array{operand::input("c", a.c, g.steps, g.n, g.units),
                                               operand::input("gates", a.gates, g.steps, g.n, g.columns()),
                                               operand::input("c0", a.c0, g.n, g.units).optional(),
                                               operand::input("dlast_c", a.dlast_c, g.n, g.units).optional()},
                                    std::array{operand::output("dc0", a.dc0, g.n, g.units).optional()});
}

/// Receipt of lstm(): recurrent products of four gates, and per unit and step four biases, 4 FLOP, 2 specials and
/// the activation of three gates; writes c and gates if requested.
template <scalar T>
[[nodiscard]] constexpr work receipt(const lstm_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  const auto cells = static_cast<std::uint64_t>(g.cells());
  return detail::recurrent_arithmetic(a.operands, g) + activation_arithmetic(a.gate, 3 * cells) +
         work{.flop = 4 * cells, .special = 2 * cells, .bytes = traffic_of(operands(a))};
}
/// Receipt of lstm_backward(): recurrent products of four gates, and per unit and step 22 FLOP and one special; reads c
/// and gates.
template <scalar T>
[[nodiscard]] constexpr work receipt(const lstm_backward_args<T>& a) noexcept {
  const recurrent_geometry g = a.operands.geometry(lstm_gates);
  const auto cells = static_cast<std::uint64_t>(g.cells());
  return detail::recurrent_arithmetic(a.operands, g) +
         work{.flop = 22 * cells, .special = cells, .bytes = traffic_of(operands(a))};
}

/// Throws: as lstm() of ops/recurrent_views.hpp.
template <scalar T>
void check(const lstm_args<T>& a) {
  require<shape_error>((a.c == nullptr) == (a.gates == nullptr),
                       "lstm: one of c and gates is a null pointer; must be both or none");
  detail::check_gate("lstm", a.gate);
  detail::check_recurrent("lstm", a.operands, a.operands.geometry(lstm_gates));
  check_operands(a);
}
/// Throws: as lstm_backward().
template <scalar T>
void check(const lstm_backward_args<T>& a) {
  detail::check_gate("lstm_backward", a.gate);
  detail::check_recurrent("lstm_backward", a.operands, a.operands.geometry(lstm_gates));
  check_operands(a);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
