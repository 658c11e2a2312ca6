// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/dense_arguments.hpp>
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/rnn.hpp>

/// \file
/// rnn, lstm and gru of sequences with extents. A sequence is (steps, n, width): a dense tensor, steps outermost, or a
/// view with strides, whose innermost stride must be 1. wx is (in, G·units), wh (units, G·units), a bias G·units;
/// states are (n, units). All operands but sequences are dense. A view without data is an absent input, or an output
/// that is not written.
namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Optional inputs and outputs of rnn() in addition to y.
template <class T>
struct rnn_options {
  tensor_view<const T, 2> h0 = {};                            // (n, units); null: zeros
  tensor_view<T, 2> last = {};                                // (n, units): h of the last step
  ridgepoint::activation act = ridgepoint::activation::tanh;  // a fusable one
  [[no_unique_address]] named_act activation = {};
  tensor_view<const std::int32_t, 2> mask = {};  // (steps, n), as sequence_mask
};
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
