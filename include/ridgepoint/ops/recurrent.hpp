// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/ops/run.hpp>
#include <ridgepoint/ops/sequence.hpp>

/// \file
/// What rnn, lstm and gru share. A cell with G gates of u units has wx (in, G·u) and wh (u, G·u), gate after gate along
/// the columns, and biases of G·u. State that is not given starts at zero and is multiplied like any other.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// The extents of a recurrent layer over a sequence, and which operands take part.
struct recurrent_geometry {
  index_t steps = 0, n = 0, in = 0, units = 0, gates = 1;

  [[nodiscard]] constexpr index_t cells() const noexcept { return steps * n * units; }
  /// Multiply-adds of the forward pass.
  [[nodiscard]] constexpr index_t macs() const noexcept { return cells() * gates * (in + units); }
  [[nodiscard]] constexpr index_t input_weights() const noexcept { return in * gates * units; }
  [[nodiscard]] constexpr index_t recurrent_weights() const noexcept { return units * gates * units; }
  friend constexpr bool operator==(const recurrent_geometry&, const recurrent_geometry&) = default;
};

/// "28x128x28 -> 256"
[[nodiscard]] inline std::string to_string(const recurrent_geometry& g) {
  return concat(g.steps, 'x', g.n, 'x', g.in, " -> ", g.units);
}

/// The operands every forward pass has. y or last, or both, are written.
template <scalar T>
struct recurrent {
  sequence_view<const T> x;  // steps × n × in
  const T* wx = nullptr;     // (in, G·units)
  const T* wh = nullptr;     // (units, G·units)
  const T* bias = nullptr;   // G·units; null: none
  const T* h0 = nullptr;     // (n, units); null: zeros
  sequence_view<T> y;        // steps × n × units; data null: not wanted
  T* last = nullptr;         // (n, units), the last step's y; null: not wanted

  [[nodiscard]] constexpr recurrent_geometry geometry(index_t gates) const noexcept {
    return {x.steps, x.batch, x.width, y.width, gates};
  }
};

/// The operands every backward pass has. At least one of dy and dlast is read.
template <scalar T>
struct recurrent_backward {
  sequence_view<const T> x;  // as in the forward pass
  const T* wx = nullptr;
  const T* wh = nullptr;
  const T* h0 = nullptr;
  sequence_view<const T> y;   // steps × n × units
  sequence_view<const T> dy;  // steps × n × units; data null: zeros
  const T* dlast = nullptr;   // (n, units), added to the last step's; null: zeros
  sequence_view<T> dx;        // steps × n × in; data null: not wanted
  T* dwx = nullptr;           // (in, G·units)
  T* dwh = nullptr;           // (units, G·units)
  T* db = nullptr;            // G·units; null: not wanted
  T* dh0 = nullptr;           // (n, units); null: not wanted

  [[nodiscard]] constexpr recurrent_geometry geometry(index_t gates) const noexcept {
    return {x.steps, x.batch, x.width, y.width, gates};
  }
};

namespace detail {

/// Products, operands and biases of a forward pass, without what the cell does with its gates.
template <scalar T>
[[nodiscard]] constexpr work recurrent_work(const recurrent<T>& a, index_t gates) noexcept {
  const recurrent_geometry g = a.geometry(gates);
  if (g.cells() == 0) return {};
  const std::uint64_t products = 2 * static_cast<std::uint64_t>(g.macs());
  const index_t columns = gates * g.units, states = g.n * g.units;
  const auto biased = static_cast<std::uint64_t>(a.bias == nullptr ? 0 : g.cells() * gates);
  return {
      .flop = products + biased,
      .matrix_flop = products,
      .bytes = {.inputs = bytes_of<T>(g.steps * g.n * g.in + (a.h0 == nullptr ? 0 : states)),
                .weights = bytes_of<T>(g.input_weights() + g.recurrent_weights() + (a.bias == nullptr ? 0 : columns)),
                .outputs = bytes_of<T>((a.y.data == nullptr ? 0 : g.cells()) + (a.last == nullptr ? 0 : states))}};
}

/// The same of a backward pass: the products for dh and dwh, dwx and, where wanted, dx; db and the sum with dy.
/// `steps_of_y`: how many steps of y are read.
template <scalar T>
[[nodiscard]] constexpr work recurrent_backward_work(const recurrent_backward<T>& a, index_t gates,
                                                     index_t steps_of_y) noexcept {
  const recurrent_geometry g = a.geometry(gates);
  const bool dx = a.dx.data != nullptr, some = g.cells() > 0;
  const index_t columns = gates * g.units, states = g.n * g.units;
  const index_t macs = g.cells() * gates * (2 * g.units + (dx ? 2 : 1) * g.in);
  const std::uint64_t products = 2 * static_cast<std::uint64_t>(macs);
  const index_t added = (a.dy.data == nullptr ? 0 : g.cells()) + (a.db == nullptr ? 0 : g.cells() * gates);
  const index_t read = steps_of_y * states + g.steps * g.n * g.in + (a.dy.data == nullptr ? 0 : g.cells()) +
                       (a.dlast == nullptr ? 0 : states) + (a.h0 == nullptr || !some ? 0 : states);
  return {.flop = products + static_cast<std::uint64_t>(added),
          .matrix_flop = products,
          .bytes = {.inputs = bytes_of<T>(read),
                    .weights = some ? bytes_of<T>(g.recurrent_weights() + (dx ? g.input_weights() : 0)) : 0,
                    .outputs = bytes_of<T>(g.input_weights() + g.recurrent_weights() + (a.db == nullptr ? 0 : columns) +
                                           (dx ? g.steps * g.n * g.in : 0) + (a.dh0 == nullptr ? 0 : states))}};
}

/// Throws: shape_error for extents that are negative, do not belong together or do not fit.
inline void check_recurrent_extents(std::string_view op, const recurrent_geometry& g) {
  require<shape_error>(g.steps > 0 && g.n >= 0 && g.in > 0 && g.units > 0, op, ": x is ", g.steps, 'x', g.n, 'x', g.in,
                       ", y has width ", g.units, "; the batch must be >= 0, the others > 0");
  const index_t cells = checked_mul(checked_mul(g.steps, g.n), g.units);
  const index_t products = checked_mul(checked_mul(cells, g.gates), checked_add(g.in, g.units));
  static_cast<void>(checked_mul(products, 16));
  static_cast<void>(checked_mul(checked_mul(checked_mul(g.gates, g.units), checked_add(g.in, g.units)), 8));
}
/// Throws: shape_error unless the sequence has the extents of x but for its width.
template <class T>
void check_like_x(std::string_view op, std::string_view name, const sequence_view<T>& v, const recurrent_geometry& g,
                  index_t width) {
  require<shape_error>(v.steps == g.steps && v.batch == g.n && v.width == width, op, ": ", name, " is ", v,
                       "; must be ", g.steps, 'x', g.n, 'x', width);
}

/// Throws: shape_error where a forward pass can not run. `more` outputs and inputs are the cell's own.
template <scalar T>
void check_recurrent_forward(std::string_view op, const recurrent<T>& a, index_t gates,
                             std::initializer_list<named_operand<T>> more_outputs,
                             std::initializer_list<named_operand<T>> more_inputs) {
  const recurrent_geometry g = a.geometry(gates);
  check_recurrent_extents(op, g);
  check_like_x(op, "y", a.y, g, g.units);
  require<shape_error>(a.y.data != nullptr || a.last != nullptr, op,
                       ": y and last are null pointers; one must be given");
  const auto y = optional_sequence<T>(op, "y", a.y), last = optional_operand<T>("last", a.last, g.n * g.units);
  const std::initializer_list<named_operand<T>> inputs{sequence_operand<T>(op, "x", a.x),
                                                       {"wx", a.wx, g.input_weights()},
                                                       {"wh", a.wh, g.recurrent_weights()},
                                                       optional_operand("bias", a.bias, gates * g.units),
                                                       optional_operand("h0", a.h0, g.n * g.units)};
  check_operands<T>(op, {y, last}, inputs);
  check_operands<T>(op, {y, last}, more_inputs);
  check_operands<T>(op, more_outputs, inputs);
  check_operands<T>(op, more_outputs, {y, last});
  check_operands<T>(op, more_outputs, more_inputs);
}

/// Throws: shape_error where a backward pass can not run. `more` outputs and inputs are the cell's own.
template <scalar T>
void check_recurrent_backward(std::string_view op, const recurrent_backward<T>& a, index_t gates,
                              std::initializer_list<named_operand<T>> more_outputs,
                              std::initializer_list<named_operand<T>> more_inputs) {
  const recurrent_geometry g = a.geometry(gates);
  check_recurrent_extents(op, g);
  check_like_x(op, "y", a.y, g, g.units);
  require<shape_error>(a.dy.data != nullptr || a.dlast != nullptr, op,
                       ": dy and dlast are null pointers; one must be given");
  if (a.dy.data != nullptr) check_like_x(op, "dy", a.dy, g, g.units);
  if (a.dx.data != nullptr) check_like_x(op, "dx", a.dx, g, g.in);
  const index_t states = g.n * g.units;
  const std::initializer_list<named_operand<T>> inputs{
      sequence_operand<T>(op, "x", a.x),         sequence_operand<T>(op, "y", a.y),
      optional_sequence<T>(op, "dy", a.dy),      {"wx", a.wx, a.dx.data == nullptr ? 0 : g.input_weights()},
      {"wh", a.wh, g.recurrent_weights()},       optional_operand("h0", a.h0, states),
      optional_operand("dlast", a.dlast, states)};
  const std::initializer_list<named_operand<T>> outputs{optional_sequence<T>(op, "dx", a.dx),
                                                        {"dwx", a.dwx, g.input_weights()},
                                                        {"dwh", a.dwh, g.recurrent_weights()},
                                                        optional_operand<T>("db", a.db, gates * g.units),
                                                        optional_operand<T>("dh0", a.dh0, states)};
  check_operands<T>(op, outputs, inputs);
  check_operands<T>(op, outputs, more_inputs);
  check_operands<T>(op, more_outputs, inputs);
  check_operands<T>(op, more_outputs, outputs);
  check_operands<T>(op, more_outputs, more_inputs);
}

}  // namespace detail
}  // namespace ridgepoint::inline RIDGEPOINT_ABI
