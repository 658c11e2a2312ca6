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

/// A product with weights of a turn: m rows of k values each, times (k, n).
[[nodiscard]] inline modelled_op turn_product(const chip& on, index_t m, index_t k, index_t n, const work& beside,
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
                 beside);
}
/// One that adds to the gradient (m, n) of weights.
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

/// A turn is one product of (x, state) with both weights and the gates' arithmetic on its results; where the state is
/// projected, one more.
[[nodiscard]] inline modelled_op recurrent_forward_op(const chip& on, const recurrent_geometry& g, const work& whole,
                                                      const char* name) {
  if (g.cells() == 0) return nothing(name, pass::forward);
  modelled_op op =
      turn_product(on, g.n, g.in + g.width(), g.columns(), beside_products(whole, g.steps), name, pass::forward);
  if (g.projected > 0) op = in_turn(on, op, turn_product(on, g.n, g.units, g.projected, {}, name, pass::forward));
  op.repeat = static_cast<std::uint64_t>(g.steps);
  return op;
}

/// A turn is the product that takes the gates' gradients back to the state (and x), and the one that adds to the
/// weights'; where the state is projected, two more.
[[nodiscard]] inline modelled_op recurrent_backward_op(const chip& on, const recurrent_backward<float>& operands,
                                                       const recurrent_geometry& g, const work& whole,
                                                       const char* name) {
  if (g.cells() == 0) return nothing(name, pass::backward_data);
  const index_t back = g.width() + (operands.dx.data != nullptr ? g.in : 0);
  modelled_op op =
      in_turn(on, turn_product(on, g.n, g.columns(), back, beside_products(whole, g.steps), name, pass::backward_data),
              turn_weights(on, g.in + g.width(), g.n, g.columns(), name));
  if (g.projected > 0)
    op = in_turn(on, in_turn(on, op, turn_product(on, g.n, g.projected, g.units, {}, name, pass::backward_data)),
                 turn_weights(on, g.units, g.n, g.projected, name));
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

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::tpu
