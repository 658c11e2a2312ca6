// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <ridgepoint/mxu/convolution.hpp>
#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/mxu/vector_unit.hpp>
#include <ridgepoint/ops/all.hpp>

/// \file
/// modelled(chip, args): modelled time of an op on a TPU core, from its arguments, without running it. One overload per
/// op, found like execute(); to add your own op, declare an overload next to its arguments.
///
/// In the chip's memory activations have the arrays' type (bf16) and variables and their gradients are fp32, as in
/// mixed-precision training; a chip whose weights come through a FIFO (TPU v1) holds everything in the arrays' type.
namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {

/// True if the model has a time for the op with these arguments.
template <class Args>
concept placeable = requires(const chip& on, const Args& args) {
  { modelled(on, args) } -> std::same_as<modelled_op>;
};

namespace detail {

[[nodiscard]] constexpr index_t variable_bytes(const chip& on) noexcept {
  return on.fifo_tiles > 0 ? on.operand_bytes : 4;
}

/// An op that takes no time.
[[nodiscard]] inline modelled_op nothing(std::string name, pass which) {
  modelled_op op;
  op.name = std::move(name);
  op.pass = which;
  return op;
}

/// A product with the vector unit's work on its results on the way to memory. An empty one takes no time.
[[nodiscard]] inline modelled_op product(const chip& on, const matmul_geometry& g, const work& whole) {
  if (g.m == 0 || g.n == 0 || g.k == 0) return nothing(g.name, g.pass);
  modelled_op op = model_matmul(on, g);
  fuse(on, op, {.flop = whole.flop - whole.matrix_flop, .special = whole.special}, 0);
  return op;
}

/// An op of the vector unit, from the receipt of its fp32 definition, with values of `width` bytes.
[[nodiscard]] inline modelled_op vector_op(const chip& on, std::string name, const work& receipt, index_t width,
                                           stream kind, pass which = pass::forward) {
  const double read = static_cast<double>(receipt.bytes.inputs + receipt.bytes.weights) / 4,
               written = static_cast<double>(receipt.bytes.outputs) / 4;
  const double values = (std::max)({read, written, 1.0});
  const auto w = static_cast<double>(width);
  return model_vector(on, {.elements = static_cast<index_t>(values),
                           .flop_per_element = static_cast<double>(receipt.flop) / values,
                           .special_per_element = static_cast<double>(receipt.special) / values,
                           .bytes_read = w * read / values,
                           .bytes_written = w * written / values,
                           .stream = kind,
                           .name = std::move(name),
                           .pass = which});
}

}  // namespace detail

// Products.

inline modelled_op modelled(const chip& on, const gemm_args<float>& g) {
  const index_t width = on.operand_bytes;
  return detail::product(on,
                         {.m = g.c.rows,
                          .k = g.a.cols,
                          .n = g.c.cols,
                          .a_bytes = width,
                          .b_bytes = width,
                          .c_bytes = width,
                          .extra_values = exactly(g.options.beta, 0) ? 0 : g.c.rows * g.c.cols,
                          .name = "gemm"},
                         receipt(g));
}
inline modelled_op modelled(const chip& on, const gemm_batched_args<float>& g) {
  modelled_op op = modelled(on, g.first);
  op.name = "gemm_batched";
  op.repeat = static_cast<std::uint64_t>(g.count);
  return op;
}
inline modelled_op modelled(const chip& on, const pack_b_args<float>& p) {
  return detail::vector_op(on, "pack_b", receipt(p), on.operand_bytes, stream::copy);
}
inline modelled_op modelled(const chip& on, const gemm_packed_args<float>& g) {
  return modelled(on, gemm_args<float>{.a = g.a, .b = {g.packed, g.a.cols, g.c.cols}, .c = g.c, .options = g.options});
}
inline modelled_op modelled(const chip& on, const dense_args<float>& d) {
  const index_t width = on.operand_bytes;
  return detail::product(on,
                         {.m = d.x.rows,
                          .k = d.x.cols,
                          .n = d.w.cols,
                          .a_bytes = width,
                          .b_bytes = detail::variable_bytes(on),
                          .c_bytes = width,
                          .name = "dense"},
                         receipt(d));
}
inline modelled_op modelled(const chip& on, const dense_backward_data_args<float>& d) {
  const index_t width = on.operand_bytes;
  return detail::product(on,
                         {.m = d.dy.rows,
                          .k = d.w.cols,
                          .n = d.w.rows,
                          .a_bytes = width,
                          .b_bytes = detail::variable_bytes(on),
                          .c_bytes = width,
                          .name = "dense_backward_data",
                          .pass = pass::backward_data},
                         receipt(d));
}
inline modelled_op modelled(const chip& on, const dense_backward_weights_args<float>& d) {
  const index_t width = on.operand_bytes;
  return detail::product(on,
                         {.m = d.x.cols,
                          .k = d.x.rows,
                          .n = d.dy.cols,
                          .a_bytes = width,
                          .b_bytes = width,
                          .c_bytes = detail::variable_bytes(on),
                          .name = "dense_backward_weights",
                          .pass = pass::backward_weights},
                         receipt(d));
}

// Convolutions.

namespace detail {
[[nodiscard]] inline modelled_op convolution(const chip& on, const conv2d_geometry& g, pass which, const char* name,
                                             index_t residual_bytes = 0) {
  if (g.n == 0) return nothing(name, which);
  const index_t width = on.operand_bytes;
  return model_conv2d(on, g, which, {.x = width, .filter = variable_bytes(on), .y = width, .residual = residual_bytes},
                      name);
}
[[nodiscard]] inline modelled_op depthwise(const chip& on, const depthwise_geometry& g, pass which, const char* name) {
  if (g.n == 0) return nothing(name, which);
  return model_depthwise(on, ridgepoint::detail::with_channels(g, g.c, g.f()), which,
                         {.x = on.operand_bytes, .filter = variable_bytes(on), .y = on.operand_bytes}, name);
}
}  // namespace detail

inline modelled_op modelled(const chip& on, const conv2d_args<float>& a) {
  return detail::convolution(on, a.geometry, pass::forward, "conv2d", a.residual != nullptr ? on.operand_bytes : 0);
}
inline modelled_op modelled(const chip& on, const conv2d_backward_data_args<float>& a) {
  return detail::convolution(on, a.geometry, pass::backward_data, "conv2d_backward_data");
}
inline modelled_op modelled(const chip& on, const conv2d_backward_weights_args<float>& a) {
  return detail::convolution(on, a.geometry, pass::backward_weights, "conv2d_backward_weights");
}
inline modelled_op modelled(const chip& on, const depthwise_conv2d_args<float>& a) {
  return detail::depthwise(on, a.geometry, pass::forward, "depthwise_conv2d");
}
inline modelled_op modelled(const chip& on, const depthwise_conv2d_backward_data_args<float>& a) {
  return detail::depthwise(on, a.geometry, pass::backward_data, "depthwise_conv2d_backward_data");
}
inline modelled_op modelled(const chip& on, const depthwise_conv2d_backward_weights_args<float>& a) {
  return detail::depthwise(on, a.geometry, pass::backward_weights, "depthwise_conv2d_backward_weights");
}

// Everything else runs on the vector unit.

namespace detail {
/// Ops that only move values.
using copy_ops = type_list<embedding_args<float>, embedding_backward_args<float>, embedding_rows_args<float>>;
}  // namespace detail

template <systolic::vector_op Args>
modelled_op modelled(const chip& on, const Args& args) {
  if constexpr (updates_weights<Args>)
    return detail::vector_op(on, "update", receipt(args), 4, stream::update, pass::update);
  else if constexpr (detail::copy_ops::contains<Args>)
    return detail::vector_op(on, "copy", receipt(args), on.operand_bytes, stream::copy);
  modelled_op op = detail::vector_op(on, "elementwise", receipt(args), on.operand_bytes, stream::elementwise);
  if constexpr (requires { args.geometry.c; }) op.channels = args.geometry.c;
  if constexpr (requires {
                  args.rows;
                  args.channels;
                })
    op.channels = args.channels;
  return op;
}
/// The host loop advances the step counter: no time of its own.
inline modelled_op modelled(const chip&, const advance_args&) { return detail::nothing("advance", pass::update); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Returns tpu::modelled() for the backend's chip.
/// Example: rp::modelled(on, rp::gemm_args<float>{.a = a, .b = b, .c = c}).elapsed_s      // nothing runs
template <backend Host, class Args>
  requires tpu::placeable<Args>
[[nodiscard]] tpu::modelled_op modelled(const mxu<Host>& on, const Args& args) { return modelled(on.chip(), args); }

}  // namespace ridgepoint::inline RIDGEPOINT_ABI

// modelled() for recurrent layers: a loop of `steps` equal time steps, each dependent on the previous one.
namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {
namespace detail {

/// Combines two consecutive ops into one.
[[nodiscard]] inline modelled_op in_turn(const chip& on, modelled_op a, const modelled_op& b) {
  a.mxu_s += b.mxu_s, a.fill_s += b.fill_s, a.weight_fetch_s += b.weight_fetch_s;
  a.hbm_s += b.hbm_s, a.vpu_s += b.vpu_s;
  a.overhead_s += b.overhead_s, a.elapsed_s += b.elapsed_s;
  a.receipt += b.receipt;
  a.bytes += b.bytes;
  conclude(a, on.peak_flop_per_s());
  return a;
}

/// Work of one of `turns` equal time steps, without its products.
[[nodiscard]] constexpr work besides_products(const work& whole, index_t turns) noexcept {
  const auto n = static_cast<std::uint64_t>(turns);
  return {.flop = whole.matrix_flop + (whole.flop - whole.matrix_flop) / n,
          .matrix_flop = whole.matrix_flop,
          .special = whole.special / n};
}

/// Product with weights in one time step: m rows of k values each, times (k, n).
[[nodiscard]] inline modelled_op turn_product(const chip& on, index_t m, index_t k, index_t n, const work& extra,
                                              const char* name, pass which) {
  const index_t width = on.operand_bytes;
  return product(on,
                 {.m = m,
                  .k = k,
                  .n = n,
                  .a_bytes = width,
                  .b_bytes = variable_bytes(on),
                  .c_bytes = width,
                  .name = name,
                  .pass = which},
                 extra);
}
/// Product that accumulates into the gradient (m, n) of weights in one time step.
[[nodiscard]] inline modelled_op turn_weights(const chip& on, index_t m, index_t k, index_t n, const char* name) {
  const index_t width = on.operand_bytes, variable = variable_bytes(on);
  return product(on,
                 {.m = m,
                  .k = k,
                  .n = n,
                  .a_bytes = width,
                  .b_bytes = width,
                  .c_bytes = variable,
                  .extra_values = m * n * variable / width,  // added to
                  .name = name,
                  .pass = pass::backward_weights},
                 {});
}

/// Ops of a loop's step around its products, forward or backward: reading x, joining it with the state, writing the
/// result, stacking the joined operand and each gate's values for the backward pass, two for the loop's counter. They
/// move each value in and out once. Backward pops what forward pushed.
[[nodiscard]] inline modelled_op turn_copies(const chip& on, const recurrent_geometry& g) {
  const index_t gates = g.columns() / checked_divisor("recurrent: units", g.units), cells = gates == lstm_gates ? 1 : 0;
  const auto values =
      static_cast<double>(g.n * (g.in + 2 * (g.in + g.width()) + g.width() + g.columns() + cells * g.units));
  modelled_op op;
  op.bytes = static_cast<std::uint64_t>(2 * values * static_cast<double>(on.operand_bytes));
  op.hbm_s = on.fifo_tiles > 0 ? 0 : static_cast<double>(op.bytes) / on.hbm_bytes_per_s;
  op.overhead_s = static_cast<double>(4 + gates + cells + 2) * on.fit.op_latency_s;
  op.elapsed_s = op.overhead_s + op.hbm_s / on.fit.copy_stream;
  return op;
}

/// One time step is one product of (x, state) with both weights and the gates' arithmetic on its results; a projected
/// state adds one product.
[[nodiscard]] inline modelled_op recurrent_forward_op(const chip& on, const recurrent_geometry& g, const work& whole,
                                                      const char* name) {
  if (g.cells() == 0) return nothing(name, pass::forward);
  modelled_op op =
      turn_product(on, g.n, g.in + g.width(), g.columns(), besides_products(whole, g.steps), name, pass::forward);
  if (g.projected > 0) op = in_turn(on, op, turn_product(on, g.n, g.units, g.projected, {}, name, pass::forward));
  op = in_turn(on, op, turn_copies(on, g));
  op.repeat = static_cast<std::uint64_t>(g.steps);
  return op;
}

/// One time step is the product that takes the gates' gradients back to the state (and x), and the product that
/// accumulates into the weights' gradient; a projected state adds two products.
[[nodiscard]] inline modelled_op recurrent_backward_op(const chip& on, const recurrent_backward<float>& operands,
                                                       const recurrent_geometry& g, const work& whole,
                                                       const char* name) {
  if (g.cells() == 0) return nothing(name, pass::backward_data);
  const index_t back = g.width() + (operands.dx.data != nullptr ? g.in : 0);
  modelled_op op =
      in_turn(on, turn_product(on, g.n, g.columns(), back, besides_products(whole, g.steps), name, pass::backward_data),
              turn_weights(on, g.in + g.width(), g.n, g.columns(), name));
  if (g.projected > 0)
    op = in_turn(on, in_turn(on, op, turn_product(on, g.n, g.projected, g.units, {}, name, pass::backward_data)),
                 turn_weights(on, g.units, g.n, g.projected, name));
  op = in_turn(on, op, turn_copies(on, g));
  op.repeat = static_cast<std::uint64_t>(g.steps);
  return op;
}

}  // namespace detail

inline modelled_op modelled(const chip& on, const rnn_args<float>& a) {
  return detail::recurrent_forward_op(on, a.operands.geometry(rnn_gates), receipt(a), "rnn");
}
inline modelled_op modelled(const chip& on, const rnn_backward_args<float>& a) {
  return detail::recurrent_backward_op(on, a.operands, a.operands.geometry(rnn_gates), receipt(a), "rnn_backward");
}
inline modelled_op modelled(const chip& on, const lstm_args<float>& a) {
  return detail::recurrent_forward_op(on, a.operands.geometry(lstm_gates), receipt(a), "lstm");
}
inline modelled_op modelled(const chip& on, const lstm_backward_args<float>& a) {
  return detail::recurrent_backward_op(on, a.operands, a.operands.geometry(lstm_gates), receipt(a), "lstm_backward");
}
inline modelled_op modelled(const chip& on, const projected_lstm_args<float>& a) {
  return detail::recurrent_forward_op(on, a.geometry(), receipt(a), "projected_lstm");
}
inline modelled_op modelled(const chip& on, const projected_lstm_backward_args<float>& a) {
  return detail::recurrent_backward_op(on, a.operands, a.geometry(), receipt(a), "projected_lstm_backward");
}
inline modelled_op modelled(const chip& on, const gru_args<float>& a) {
  return detail::recurrent_forward_op(on, a.operands.geometry(gru_gates), receipt(a), "gru");
}
inline modelled_op modelled(const chip& on, const gru_backward_args<float>& a) {
  return detail::recurrent_backward_op(on, a.operands, a.operands.geometry(gru_gates), receipt(a), "gru_backward");
}

// modelled() for attention: a loop over the heads of all samples, with a product of queries and keys and a product of
// weights and values per head. Positions that a diagonal hides are computed: the array cannot skip triangles.

namespace detail {

/// The ops of one head for `heads` of them: a batched product starts once for all.
[[nodiscard]] inline modelled_op all_heads(const chip& on, modelled_op op, index_t heads) {
  const double started = op.overhead_s, share = started / static_cast<double>(heads);
  op.overhead_s = share, op.elapsed_s += share - started;
  conclude(op, on.peak_flop_per_s());
  op.repeat = static_cast<std::uint64_t>(heads);
  return op;
}

/// One product of a head; both operands are activations.
[[nodiscard]] inline modelled_op head_product(const chip& on, index_t m, index_t k, index_t n, const char* name,
                                              pass which, const work& extra) {
  const index_t width = on.operand_bytes;
  return product(
      on, {.m = m, .k = k, .n = n, .a_bytes = width, .b_bytes = width, .c_bytes = width, .name = name, .pass = which},
      extra);
}
}  // namespace detail

inline modelled_op modelled(const chip& on, const attention_args<float>& a) {
  const attention_geometry g = a.geometry();
  constexpr pass which = pass::forward;
  if (g.n == 0 || g.seeing() == 0) return detail::nothing("attention", which);
  const index_t heads = g.n * g.heads;
  modelled_op op = detail::in_turn(on,
                                   detail::head_product(on, g.queries, g.width, g.keys, "attention", which,
                                                        detail::besides_products(receipt(a), heads)),
                                   detail::head_product(on, g.queries, g.keys, g.width, "attention", which, {}));
  return detail::all_heads(on, std::move(op), heads);
}
inline modelled_op modelled(const chip& on, const attention_backward_args<float>& a) {
  const attention_geometry g = a.geometry();
  constexpr pass which = pass::backward_data;
  constexpr const char* name = "attention_backward";
  if (g.n == 0 || g.seeing() == 0) return detail::nothing(name, which);
  const index_t heads = g.n * g.heads;
  const auto of = [&](index_t m, index_t k, index_t n, const work& extra = {}) {
    return detail::head_product(on, m, k, n, name, which, extra);
  };
  modelled_op op = of(g.queries, g.width, g.keys, detail::besides_products(receipt(a), heads));  // scores
  op = detail::in_turn(on, op, of(g.queries, g.width, g.keys));                                  // dy·vᵀ
  op = detail::in_turn(on, op, of(g.keys, g.queries, g.width));                                  // dv
  op = detail::in_turn(on, op, of(g.keys, g.queries, g.width));                                  // dk
  op = detail::in_turn(on, op, of(g.queries, g.keys, g.width));                                  // dq
  return detail::all_heads(on, std::move(op), heads);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
