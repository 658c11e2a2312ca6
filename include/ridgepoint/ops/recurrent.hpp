// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/activation.hpp>
#include <ridgepoint/ops/operand.hpp>
#include <ridgepoint/ops/run.hpp>

/// \file
/// Sequences, masks of their valid steps, and the common parts of rnn, lstm, projected_lstm and gru.
///
/// A sequence is (steps, n, width): a dense tensor, steps outermost, or a view with strides, whose innermost stride is
/// 1. A cell with G gates of u units has wx (in, G·u) and wh (u, G·u), gate after gate along the columns, and a bias of
/// G·u; states are (n, u). All operands but sequences are dense. A view without data is an absent input, or an output
/// that is not written; an absent state starts at zero and is multiplied like any other.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// A non-owning batch of sequences: value j of sample i at step t is data[t·step_stride + i·sample_stride + j].
///
/// Dense TNC memory, steps outermost, is the usual layout; a graph, whose batch is outermost, uses the other one. A
/// negative step_stride means that steps are in reverse order in memory: see reversed().
/// Example:
///   const auto x = rp::sequence_view<const float>::time_major(data, 28, 128, 256);   // 28 steps of 128×256
///   x.step(3)(i, j)
template <class T>
struct sequence_view {
  T* data = nullptr;
  index_t steps = 0, batch = 0, width = 0;
  index_t step_stride = 0, sample_stride = 0;

  [[nodiscard]] static constexpr sequence_view time_major(T* data, index_t steps, index_t batch,
                                                          index_t width) noexcept {
    return {data, steps, batch, width, batch * width, width};
  }
  [[nodiscard]] static constexpr sequence_view sample_major(T* data, index_t steps, index_t batch,
                                                            index_t width) noexcept {
    return {data, steps, batch, width, width, steps * width};
  }
  /// Returns a view of this memory from the last step to the first. Requires: data, unless it is empty.
  /// Example:
  ///   rp::run(on, rp::rnn_args<float>{.operands = {.x = x.reversed(), …, .y = y.reversed()}});   // from the end
  [[nodiscard]] constexpr sequence_view reversed() const noexcept {
    const bool some = data != nullptr && steps > 0;
    return {some ? data + (steps - 1) * step_stride : data, steps, batch, width, -step_stride, sample_stride};
  }
  /// Returns step t as a matrix (batch, width).
  [[nodiscard]] constexpr matrix_view<T> step(index_t t) const noexcept {
    return {data + t * step_stride, batch, width, sample_stride};
  }
  [[nodiscard]] constexpr T& operator()(index_t t, index_t i, index_t j) const noexcept {
    return data[t * step_stride + i * sample_stride + j];
  }
  /// Returns the number of values.
  [[nodiscard]] constexpr index_t size() const noexcept { return steps * batch * width; }
  constexpr operator sequence_view<const T>() const noexcept requires(!std::is_const_v<T>) {
    return {data, steps, batch, width, step_stride, sample_stride};
  }
};

/// Formats as "28x128x256 (steps x batch x width)".
template <class T>
[[nodiscard]] std::string to_string(const sequence_view<T>& v) {
  return concat(v.steps, 'x', v.batch, 'x', v.width, " (steps x batch x width)");
}

/// steps × n × 1: a step of a sample is skipped if its value is 0; data null: every step counts. Token ids are such a
/// mask, if 0 stands for padding.
///
/// At a skipped step, a recurrent layer leaves the state of a sample, h and c, unchanged, and y repeats it, as with
/// Keras' masks. So y is the state after every step, which the backward pass reads, and after the last step it is a
/// sample's final state wherever its padding is. The backward pass adds the gradient of such a y to that of the
/// previous state; the step contributes to no other gradient. x is multiplied by zeros there, and must be finite.
using sequence_mask = sequence_view<const std::int32_t>;

[[nodiscard]] constexpr bool is_skipped(const sequence_mask& mask, index_t t, index_t i) noexcept {
  return mask.data != nullptr && mask(t, i, 0) == 0;
}

/// Position of the padding of short sequences.
enum class padding_at : std::uint8_t { the_end, the_start };

/// to(t, i) ← 1 at the lengths(i) valid steps of a sample, else 0. Its width is 1; steps may be outermost, the default
/// of ops, or samples, as inside a graph.
/// Throws: shape_error unless there is a length for each sample and memory for the mask; value_error for a length
/// outside 1 to steps. Nothing is then written.
/// Example:
///   rp::tensor<std::int32_t> mask({steps, n});
///   rp::mask_of_lengths(lengths, {mask.data(), steps, n, 1, n, 1});
inline void mask_of_lengths(std::span<const std::int32_t> lengths, const sequence_view<std::int32_t>& to,
                            padding_at padding = padding_at::the_end) {
  constexpr std::string_view name = "mask_of_lengths";
  require<shape_error>(to.steps >= 0 && to.batch == static_cast<index_t>(lengths.size()) && to.width == 1, name, ": ",
                       lengths.size(), " lengths for a mask of ", to, "; must equal the samples, and the width 1");
  require<shape_error>(to.data != nullptr || to.size() == 0, name, ": the mask is a null pointer; must point to ",
                       to.size(), " elements");
  for (std::size_t i = 0; i < lengths.size(); ++i)
    require<value_error>(lengths[i] >= 1 && lengths[i] <= to.steps, name, ": length ", i, " is ", lengths[i],
                         "; must be 1 to ", to.steps);
  for (index_t i = 0; i < to.batch; ++i) {
    const index_t length = lengths[static_cast<std::size_t>(i)],
                  first = padding == padding_at::the_start ? to.steps - length : 0;
    for (index_t t = 0; t < to.steps; ++t) to(t, i, 0) = t >= first && t < first + length ? 1 : 0;
  }
}

/// The extents of a recurrent layer over a sequence, and which operands are used.
struct recurrent_geometry {
  index_t steps = 0, n = 0, in = 0, units = 0, gates = 1;
  index_t projected = 0;  // width of the state after a product with (units, projected); 0: no projection

  [[nodiscard]] constexpr index_t cells() const noexcept { return steps * n * units; }
  /// Returns the width of the state, and of y.
  [[nodiscard]] constexpr index_t width() const noexcept { return projected > 0 ? projected : units; }
  [[nodiscard]] constexpr index_t states() const noexcept { return steps * n * width(); }
  [[nodiscard]] constexpr index_t columns() const noexcept { return gates * units; }
  /// Returns this geometry with `inner` units, whose state is projected to the units of this one.
  [[nodiscard]] constexpr recurrent_geometry projected_from(index_t inner) const noexcept {
    return {steps, n, in, inner, gates, units};
  }
  /// Returns the multiply-adds of the forward pass.
  [[nodiscard]] constexpr index_t macs() const noexcept { return cells() * (gates * (in + width()) + projected); }
  [[nodiscard]] constexpr index_t input_weights() const noexcept { return in * columns(); }
  [[nodiscard]] constexpr index_t recurrent_weights() const noexcept { return width() * columns(); }
  friend constexpr bool operator==(const recurrent_geometry&, const recurrent_geometry&) = default;
};

/// Formats as "28x128x28 -> 256", or "28x128x28 -> 256 -> 64" with a projection.
[[nodiscard]] inline std::string to_string(const recurrent_geometry& g) {
  const std::string all = concat(g.steps, 'x', g.n, 'x', g.in, " -> ", g.units);
  return g.projected > 0 ? concat(all, " -> ", g.projected) : all;
}

/// The operands of every forward pass. y or last, or both, are written.
template <scalar T>
struct recurrent {
  sequence_view<const T> x;  // steps × n × in
  const T* wx = nullptr;     // (in, G·units)
  const T* wh = nullptr;     // (units, G·units)
  const T* bias = nullptr;   // G·units; null: none
  const T* h0 = nullptr;     // (n, units); null: zeros
  sequence_view<T> y;        // steps × n × units; data null: not written
  T* last = nullptr;         // (n, units), the last step's y; null: not written
  sequence_mask mask = {};   // the steps that count

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
  sequence_view<T> dx;        // steps × n × in; data null: not written
  T* dwx = nullptr;           // (in, G·units)
  T* dwh = nullptr;           // (units, G·units)
  T* db = nullptr;            // G·units; null: not written
  T* dh0 = nullptr;           // (n, units); null: not written
  sequence_mask mask = {};    // as in the forward pass

  [[nodiscard]] constexpr recurrent_geometry geometry(index_t gates) const noexcept {
    return {x.steps, x.batch, x.width, y.width, gates};
  }
};

namespace detail {

template <class T>
[[nodiscard]] constexpr operand sequence_input(std::string_view name, const sequence_view<const T>& v) noexcept {
  return operand::input(name, v.data, v.steps, v.batch, v.width)
      .strided(v.step_stride, v.sample_stride, index_t{1})
      .reversible();
}
template <class T>
[[nodiscard]] constexpr operand sequence_output(std::string_view name, const sequence_view<T>& v) noexcept {
  return operand::output(name, v.data, v.steps, v.batch, v.width)
      .strided(v.step_stride, v.sample_stride, index_t{1})
      .reversible();
}
/// Concatenates lists of operands.
template <std::size_t... N>
[[nodiscard]] constexpr auto joined(const std::array<operand, N>&... lists) noexcept {
  std::array<operand, (0 + ... + N)> all{};
  auto end = all.begin();
  static_cast<void>(((end = std::copy(lists.begin(), lists.end(), end)), ...));
  return all;
}

/// Lists the operands of a forward pass; `inputs` and `outputs` are the cell's own.
template <scalar T, std::size_t Ins = 0, std::size_t Outs = 0>
[[nodiscard]] constexpr auto recurrent_operands(const recurrent<T>& a, const recurrent_geometry& g,
                                                const std::array<operand, Ins>& inputs = {},
                                                const std::array<operand, Outs>& outputs = {}) noexcept {
  const bool some = g.cells() > 0;
  const index_t columns = g.columns();
  return joined(
      std::array{sequence_input("x", a.x), operand::weight("wx", a.wx, g.in, columns).counting_if(some),
                 operand::weight("wh", a.wh, g.width(), columns).counting_if(some),
                 operand::weight("bias", a.bias, columns).counting_if(some).optional(),
                 operand::input("h0", a.h0, g.n, g.width()).optional(), sequence_input("mask", a.mask).optional()},
      inputs,
      std::array{sequence_output("y", a.y).optional(), operand::output("last", a.last, g.n, g.width()).optional()},
      outputs);
}
/// Lists the operands of a backward pass, which reads `steps_of_y` steps of y.
template <scalar T, std::size_t Ins = 0, std::size_t Outs = 0>
[[nodiscard]] constexpr auto recurrent_operands(const recurrent_backward<T>& a, const recurrent_geometry& g,
                                                index_t steps_of_y, const std::array<operand, Ins>& inputs = {},
                                                const std::array<operand, Outs>& outputs = {}) noexcept {
  const bool some = g.cells() > 0, dx = a.dx.data != nullptr;
  const index_t columns = g.columns(), width = g.width();
  const operand wx = operand::weight("wx", a.wx, g.in, columns).counting_if(some && dx);
  return joined(
      std::array{sequence_input("x", a.x), dx ? wx : wx.optional(),
                 operand::weight("wh", a.wh, width, columns).counting_if(some),
                 sequence_input("y", a.y).counting(steps_of_y, g.n, width), sequence_input("dy", a.dy).optional(),
                 operand::input("dlast", a.dlast, g.n, width).optional(),
                 operand::input("h0", a.h0, g.n, width).optional(), sequence_input("mask", a.mask).optional()},
      inputs,
      std::array{sequence_output("dx", a.dx).optional(), operand::output("dwx", a.dwx, g.in, columns),
                 operand::output("dwh", a.dwh, width, columns), operand::output("db", a.db, columns).optional(),
                 operand::output("dh0", a.dh0, g.n, width).optional()},
      outputs);
}

/// Products and biases of a forward pass, without the arithmetic of the cell.
template <scalar T>
[[nodiscard]] constexpr work recurrent_arithmetic(const recurrent<T>& a, const recurrent_geometry& g) noexcept {
  const std::uint64_t products = 2 * static_cast<std::uint64_t>(g.macs());
  const auto biased = static_cast<std::uint64_t>(a.bias == nullptr ? 0 : g.cells() * g.gates);
  return {.flop = products + biased, .matrix_flop = products};
}
/// Products of a backward pass for dh and dwh, dwx and, if requested, dx, and two for a projection; db and the sum with
/// dy.
template <scalar T>
[[nodiscard]] constexpr work recurrent_arithmetic(const recurrent_backward<T>& a,
                                                  const recurrent_geometry& g) noexcept {
  const index_t each = g.gates * (2 * g.width() + (a.dx.data != nullptr ? 2 : 1) * g.in) + 2 * g.projected;
  const std::uint64_t products = 2 * static_cast<std::uint64_t>(g.cells() * each);
  const index_t added = (a.dy.data == nullptr ? 0 : g.states()) + (a.db == nullptr ? 0 : g.cells() * g.gates);
  return {.flop = products + static_cast<std::uint64_t>(added), .matrix_flop = products};
}

/// Throws: shape_error for extents that are negative, inconsistent or too large.
inline void check_recurrent_extents(std::string_view op, const recurrent_geometry& g) {
  require<shape_error>(g.steps > 0 && g.n >= 0 && g.in > 0 && g.units > 0, op, ": x is ", g.steps, 'x', g.n, 'x', g.in,
                       ", y has width ", g.width(), "; the batch must be >= 0, the others > 0");
  const index_t rows = checked_mul(g.steps, g.n), columns = checked_mul(g.gates, g.units);
  const index_t weights =
      checked_add(checked_mul(columns, checked_add(g.in, g.width())), checked_mul(g.units, g.projected));
  static_cast<void>(checked_mul(checked_mul(rows, weights), 16));
  static_cast<void>(checked_mul(weights, 8));
}
/// Throws: shape_error unless the sequence has the extents of x except for its width.
template <class T>
void check_like_x(std::string_view op, std::string_view name, const sequence_view<T>& v, const recurrent_geometry& g,
                  index_t width) {
  require<shape_error>(v.steps == g.steps && v.batch == g.n && v.width == width, op, ": ", name, " is ", v,
                       "; must be ", g.steps, 'x', g.n, 'x', width);
}

/// Throws: value_error unless the function is valid for gates.
inline void check_gate(std::string_view op, activation gate) {
  require<value_error>(gate == activation::sigmoid || gate == activation::hard_sigmoid, op, ": gate is ",
                       to_string(gate), "; must be sigmoid or hard_sigmoid");
}
/// Throws: shape_error unless there is a value for each step of each sample, or no mask.
inline void check_mask(std::string_view op, const sequence_mask& mask, const recurrent_geometry& g) {
  if (mask.data != nullptr) check_like_x(op, "mask", mask, g, 1);
}

/// Throws: shape_error for inconsistent extents of a forward pass, or if it has no output.
template <scalar T>
void check_recurrent(std::string_view op, const recurrent<T>& a, const recurrent_geometry& g) {
  check_recurrent_extents(op, g);
  check_like_x(op, "y", a.y, g, g.width());
  check_mask(op, a.mask, g);
  require<shape_error>(a.y.data != nullptr || a.last != nullptr, op,
                       ": y and last are null pointers; one must be given");
}
/// Throws: shape_error for inconsistent extents of a backward pass, or if it has no input gradient.
template <scalar T>
void check_recurrent(std::string_view op, const recurrent_backward<T>& a, const recurrent_geometry& g) {
  check_recurrent_extents(op, g);
  check_like_x(op, "y", a.y, g, g.width());
  check_mask(op, a.mask, g);
  require<shape_error>(a.dy.data != nullptr || a.dlast != nullptr, op,
                       ": dy and dlast are null pointers; one must be given");
  if (a.dy.data != nullptr) check_like_x(op, "dy", a.dy, g, g.width());
  if (a.dx.data != nullptr) check_like_x(op, "dx", a.dx, g, g.in);
}

}  // namespace detail

namespace detail {

/// Checks the operands of a recurrent layer against its extents, taken from x and the width of y.
struct recurrent_checks {
  std::string_view op;
  recurrent_geometry g;

  template <class X, class Y>
  recurrent_checks(std::string_view op_, const tensor_view<X, 3>& x, const tensor_view<Y, 3>& y, index_t gates)
      : recurrent_checks(op_, {x.extents[0], x.extents[1], x.extents[2], y.extents[2], gates}) {}
  recurrent_checks(std::string_view op_, const recurrent_geometry& extents) : op(op_), g(extents) {
    check_recurrent_extents(op, g);
  }
  /// Returns a sequence; check() compares its extents with x. Throws: shape_error unless its width is contiguous.
  template <class T>
  [[nodiscard]] sequence_view<T> sequence(std::string_view name, const tensor_view<T, 3>& v) const {
    require<shape_error>(v.data == nullptr || v.extents[2] <= 1 || v.strides[2] == 1, op, ": ", name, " is ", v.shape(),
                         " with an innermost stride of ", v.strides[2], "; must be 1");
    return {v.data, v.extents[0], v.extents[1], v.extents[2], v.strides[0], v.strides[1]};
  }
  /// Returns a mask; check() compares its extents with x.
  [[nodiscard]] static sequence_mask mask(const tensor_view<const std::int32_t, 2>& v) noexcept {
    return {v.data, v.extents[0], v.extents[1], 1, v.strides[0], v.strides[1]};
  }
  template <class T>
  [[nodiscard]] T* input_weights(std::string_view name, const matrix_view<T>& v) const {
    return data_of(op, name, tensor_view<T, 2>(v), {g.in, g.columns()});
  }
  template <class T>
  [[nodiscard]] T* recurrent_weights(std::string_view name, const matrix_view<T>& v) const {
    return data_of(op, name, tensor_view<T, 2>(v), {g.width(), g.columns()});
  }
  template <class T>
  [[nodiscard]] T* bias(std::string_view name, const tensor_view<T, 1>& v) const {
    return data_of(op, name, v, {g.columns()});
  }
  template <class T>
  [[nodiscard]] T* state(std::string_view name, const tensor_view<T, 2>& v) const {
    return data_of(op, name, v, {g.n, g.width()});
  }
  template <class T>
  [[nodiscard]] T* cell_state(std::string_view name, const tensor_view<T, 2>& v) const {
    return data_of(op, name, v, {g.n, g.units});
  }
  /// Returns the data of (steps, n, parts·units).
  template <class T>
  [[nodiscard]] T* cells(std::string_view name, const tensor_view<T, 3>& v, index_t parts) const {
    return data_of(op, name, v, {g.steps, g.n, parts * g.units});
  }

  template <class E, class Options>
  [[nodiscard]] recurrent<E> forward(const tensor_view<const E, 3>& x, const matrix_view<const E>& wx,
                                     const matrix_view<const E>& wh, const tensor_view<const E, 1>& b,
                                     const tensor_view<E, 3>& y, const Options& o) const {
    return {.x = sequence("x", x),
            .wx = input_weights("wx", wx),
            .wh = recurrent_weights("wh", wh),
            .bias = bias("bias", b),
            .h0 = state("h0", o.h0),
            .y = sequence("y", y),
            .last = state("last", o.last),
            .mask = mask(o.mask)};
  }
  template <class E, class Options>
  [[nodiscard]] recurrent_backward<E> backward(const tensor_view<const E, 3>& x, const matrix_view<const E>& wx,
                                               const matrix_view<const E>& wh, const tensor_view<const E, 3>& y,
                                               const tensor_view<const E, 3>& dy, const matrix_view<E>& dwx,
                                               const matrix_view<E>& dwh, const Options& o) const {
    return {.x = sequence("x", x),
            .wx = input_weights("wx", wx),
            .wh = recurrent_weights("wh", wh),
            .h0 = state("h0", o.h0),
            .y = sequence("y", y),
            .dy = sequence("dy", dy),
            .dlast = state("dlast", o.dlast),
            .dx = sequence("dx", o.dx),
            .dwx = input_weights("dwx", dwx),
            .dwh = recurrent_weights("dwh", dwh),
            .db = bias("db", o.db),
            .dh0 = state("dh0", o.dh0),
            .mask = mask(o.mask)};
  }
};

}  // namespace detail

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
