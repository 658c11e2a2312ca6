// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <type_traits>

#include <ridgepoint/core/dense_arguments.hpp>
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

/// Throws: as lstm().
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

/// Optional inputs and outputs of lstm() in addition to y.
template <class T>
struct lstm_options {
  tensor_view<const T, 2> h0 = {}, c0 = {};  // (n, units); null: zeros
  tensor_view<T, 2> last = {};               // (n, units): h of the last step
  tensor_view<T, 3> c = {},
                    gates = {};   // (steps, n, units) and (steps, n, 4·units) for the backward pass: both or none
  tensor_view<T, 2> last_c = {};  // (n, units): c of the last step
  tensor_view<const std::int32_t, 2> mask = {};                   // (steps, n), as sequence_mask
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
};
/// Optional inputs and outputs of lstm_backward() in addition to dwx and dwh.
template <class T>
struct lstm_backward_options {
  tensor_view<const T, 2> h0 = {}, c0 = {}, dlast = {};           // as in lstm(); the gradient of last
  tensor_view<T, 3> dx = {};                                      // like x
  tensor_view<T, 1> db = {};                                      // 4·units
  tensor_view<T, 2> dh0 = {}, dc0 = {};                           // (n, units)
  tensor_view<const T, 2> dlast_c = {};                           // the gradient of last_c
  tensor_view<const std::int32_t, 2> mask = {};                   // as in lstm()
  ridgepoint::activation gate = ridgepoint::activation::sigmoid;  // or hard_sigmoid
  [[no_unique_address]] named_gate activation = {};
};

/// y(t) ← h(t) of a long short-term memory, step after step; last ← h of the last step. c and gates, if requested, are
/// the inputs of the backward pass: c(t) and i, f, g, o after their activations.
/// Next: reference/recurrent.hpp is the definition, ops/recurrent.hpp the operands.
/// Work: 2·steps·n·4·units·(in + units) matrix FLOP; see receipt().
/// Throws: shape_error for mismatched extents, no step, a null pointer, operands that overlap.
/// Example:
///   rp::lstm(on, x, wx, wh, bias, y, {.c = c, .gates = gates});
template <class Backend, class C, class E = tensor_element<C, 3>>
work lstm(const Backend& on, const tensor_in<E, 3>& x, const matrix_in<E>& wx, const matrix_in<E>& wh,
          view_of<const E, 1> bias, C&& y, const std::type_identity_t<lstm_options<E>>& options = {}) {
  static_assert(runs<Backend, lstm_args<E>, E>,
                "lstm: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E>, "lstm: y must be a mutable sequence of float or double: a tensor or a view");
  const tensor_view<E, 3> to = tensor_output<E, 3>(y);
  const detail::recurrent_checks g("lstm", x, to, lstm_gates);
  return detail::run_checked<E>(on, lstm_args<E>{.operands = g.template forward<E>(x, wx, wh, bias, to, options),
                                                 .c0 = g.cell_state("c0", options.c0),
                                                 .c = g.cells("c", options.c, 1),
                                                 .gates = g.cells("gates", options.gates, lstm_gates),
                                                 .last_c = g.cell_state("last_c", options.last_c),
                                                 .gate = options.gate});
}

/// The gradients of lstm() from y, c, gates and dy.
/// Work: see receipt(). Throws: as lstm().
/// Example:
///   rp::lstm_backward(on, x, wx, wh, y, c, gates, dy, dwx, dwh, {.dx = dx, .db = db});
template <class Backend, class C, class D, class E = matrix_element<C, deduced>>
work lstm_backward(const Backend& on, const tensor_in<E, 3>& x, const matrix_in<E>& wx, const matrix_in<E>& wh,
                   const tensor_in<E, 3>& y, const tensor_in<E, 3>& c, const tensor_in<E, 3>& gates,
                   const tensor_in<E, 3>& dy, C&& dwx, D&& dwh,
                   const std::type_identity_t<lstm_backward_options<E>>& options = {}) {
  static_assert(runs<Backend, lstm_backward_args<E>, E>,
                "lstm_backward: the first argument must be a backend that has it, such as rp::cpu");
  static_assert(has_output<Backend, E> && (std::same_as<E, refused> || std::same_as<E, matrix_element<D, deduced>>),
                "lstm_backward: dwx and dwh must be mutable matrices of float or double: tensors or matrix_views");
  const detail::recurrent_checks g("lstm_backward", x, y, lstm_gates);
  return detail::run_checked<E>(
      on, lstm_backward_args<E>{.operands = g.template backward<E>(x, wx, wh, y, dy, matrix_output<E>(dwx),
                                                                   matrix_output<E>(dwh), options),
                                .c0 = g.cell_state("c0", options.c0),
                                .c = g.cells("c", c, 1),
                                .gates = g.cells("gates", gates, lstm_gates),
                                .dc0 = g.cell_state("dc0", options.dc0),
                                .dlast_c = g.cell_state("dlast_c", options.dlast_c),
                                .gate = options.gate});
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
