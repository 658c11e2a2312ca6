// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/plan.hpp>

/// \file
/// modelled() for recurrent layers: a loop of `steps` equal turns, each waiting for the one before.
namespace ridgepoint::inline RIDGEPOINT_ABI::tpu {
namespace detail {

/// Two ops one after the other, as one.
[[nodiscard]] inline modelled_op in_turn(const chip& on, modelled_op a, const modelled_op& b) {
  a.mxu_s += b.mxu_s, a.fill_s += b.fill_s, a.weight_fetch_s += b.weight_fetch_s;
  a.hbm_s += b.hbm_s, a.vpu_s += b.vpu_s;
  a.overhead_s += b.overhead_s, a.elapsed_s += b.elapsed_s;
  a.receipt += b.receipt;
  a.bytes += b.bytes;
  conclude(a, on.peak_flop_per_s());
  return a;
}

/// What one of `turns` equal turns does beside its products.
[[nodiscard]] constexpr work beside_products(const work& whole, index_t turns) noexcept {
  const auto n = static_cast<std::uint64_t>(turns);
  return {.flop = whole.matrix_flop + (whole.flop - whole.matrix_flop) / n,
          .matrix_flop = whole.matrix_flop,
          .special = whole.special / n};
}

/// A turn is one product of (x, h) with both weights and the gates' arithmetic on its results.
[[nodiscard]] inline modelled_op recurrent_forward_op(const chip& on, const recurrent_geometry& g, const work& whole,
                                                      const char* name) {
  if (g.cells() == 0) return nothing(name, pass::forward);
  const index_t width = on.operand_bytes;
  modelled_op op = product(on,
                           {.m = g.n,
                            .k = g.in + g.units,
                            .n = g.gates * g.units,
                            .a_bytes = width,
                            .b_bytes = variable_bytes(on),
                            .c_bytes = width,
                            .name = name},
                           beside_products(whole, g.steps));
  op.repeat = static_cast<std::uint64_t>(g.steps);
  return op;
}

/// A turn is the product that takes the gates' gradients back to h (and x), and the one that adds to the weights'.
[[nodiscard]] inline modelled_op recurrent_backward_op(const chip& on, const recurrent_backward<float>& operands,
                                                       index_t gates, const work& whole, const char* name) {
  const recurrent_geometry g = operands.geometry(gates);
  if (g.cells() == 0) return nothing(name, pass::backward_data);
  const index_t width = on.operand_bytes, columns = g.gates * g.units, variable = variable_bytes(on);
  const modelled_op data = product(on,
                                   {.m = g.n,
                                    .k = columns,
                                    .n = g.units + (operands.dx.data != nullptr ? g.in : 0),
                                    .a_bytes = width,
                                    .b_bytes = variable,
                                    .c_bytes = width,
                                    .name = name,
                                    .pass = pass::backward_data},
                                   beside_products(whole, g.steps));
  const modelled_op weights = product(on,
                                      {.m = g.in + g.units,
                                       .k = g.n,
                                       .n = columns,
                                       .a_bytes = width,
                                       .b_bytes = width,
                                       .c_bytes = variable,
                                       .extra_values = (g.in + g.units) * columns * variable / width,  // added to
                                       .name = name,
                                       .pass = pass::backward_weights},
                                      {});
  modelled_op op = in_turn(on, data, weights);
  op.repeat = static_cast<std::uint64_t>(g.steps);
  return op;
}

}  // namespace detail

inline modelled_op modelled(const chip& on, const rnn_args<float>& a) {
  return detail::recurrent_forward_op(on, a.operands.geometry(rnn_gates), receipt(a), "rnn");
}
inline modelled_op modelled(const chip& on, const rnn_backward_args<float>& a) {
  return detail::recurrent_backward_op(on, a.operands, rnn_gates, receipt(a), "rnn_backward");
}
inline modelled_op modelled(const chip& on, const lstm_args<float>& a) {
  return detail::recurrent_forward_op(on, a.operands.geometry(lstm_gates), receipt(a), "lstm");
}
inline modelled_op modelled(const chip& on, const lstm_backward_args<float>& a) {
  return detail::recurrent_backward_op(on, a.operands, lstm_gates, receipt(a), "lstm_backward");
}
inline modelled_op modelled(const chip& on, const gru_args<float>& a) {
  return detail::recurrent_forward_op(on, a.operands.geometry(gru_gates), receipt(a), "gru");
}
inline modelled_op modelled(const chip& on, const gru_backward_args<float>& a) {
  return detail::recurrent_backward_op(on, a.operands, gru_gates, receipt(a), "gru_backward");
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
