// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/recurrent.hpp>
#include <ridgepoint/ops/gru.hpp>

/// \file
/// gru() and its gradients by the library's primitives: its GRU resets before the product, the one it calls linear
/// before reset after it. Gates by products after it, the gradients after a forward pass of the library's own.
/// Throws: backend_error.
namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// The library's gates are z, r, n, ours r, z, n.
struct gru_cell {
  using forward = dnnl::gru_forward;
  using backward = dnnl::gru_backward;
  static constexpr index_t gate_count = gru_gates, biases = 3, kept = 3;
  static constexpr bool has_activation = false, has_c = false, z_first = true;

  static void bias_of(index_t units, const float* bias, const float*, float* all) {
    if (bias != nullptr) exchange_gates(bias, all, 1, units);
    else std::fill_n(all, 3 * units, 0.0F);
  }
  static void bias_gradient(index_t units, const float* all, float* db, float*) {
    if (db != nullptr) exchange_gates(all, db, 1, units);
  }
  /// gates ← r, z, n.
  static void keep(const gate_sums& of, const float* bias, const float*, float* gates) {
    const index_t u = of.g.units, rows = of.rows();
    of.of_input(0, 3 * u, gates, 3 * u);
    of.of_state(0, 2 * u, 1, gates, 3 * u);
    activate_rows(rows, 2 * u, gates, 3 * u, bias, sigmoid_of);
    reset(of, gates);
    of.of_state(2 * u, u, 1, gates + 2 * u, 3 * u);
    activate_rows(rows, u, gates + 2 * u, 3 * u, bias != nullptr ? bias + 2 * u : nullptr,
                  [](float v) { return std::tanh(v); });
  }
  static void infer_bias(const gate_sums& of, const float* gates, float* sums, float* bias) {
    const index_t u = of.g.units;
    of.of_input(0, 3 * u, sums, 3 * u);
    of.of_state(0, 2 * u, 1, sums, 3 * u);
    onednn_detail::infer_bias(inverse_sigmoid(), of, u, sums, 3 * u, gates, 3 * u, bias + u);
    onednn_detail::infer_bias(inverse_sigmoid(), of, u, sums + u, 3 * u, gates + u, 3 * u, bias);
    reset(of, gates);
    of.of_state(2 * u, u, 1, sums + 2 * u, 3 * u);
    onednn_detail::infer_bias(inverse_tanh(), of, u, sums + 2 * u, 3 * u, gates + 2 * u, 3 * u, bias + 2 * u);
  }

 private:
  /// before ← r∘before.
  static void reset(const gate_sums& of, const float* gates) {
    const index_t u = of.g.units;
    for (index_t row = 0; row < of.rows(); ++row)
      for (index_t j = 0; j < u; ++j) of.before[row * u + j] *= gates[row * 3 * u + j];
  }
};

/// The candidate has a bias on either side of the reset; r and z have the sum of both.
struct lbr_gru_cell {
  using forward = dnnl::lbr_gru_forward;
  using backward = dnnl::lbr_gru_backward;
  static constexpr index_t gate_count = gru_gates, biases = 4, kept = 4;
  static constexpr bool has_activation = false, has_c = false, z_first = true;

  static void bias_of(index_t units, const float* bias, const float* recurrent, float* all) {
    const auto at = [](const float* b, index_t i) { return b != nullptr ? b[i] : 0.0F; };
    for (index_t j = 0; j < units; ++j) {
      all[j] = at(bias, units + j) + at(recurrent, units + j);
      all[units + j] = at(bias, j) + at(recurrent, j);
      all[2 * units + j] = at(bias, 2 * units + j);
      all[3 * units + j] = at(recurrent, 2 * units + j);
    }
  }
  static void bias_gradient(index_t units, const float* all, float* db, float* drecurrent) {
    if (db != nullptr) exchange_gates(all, db, 1, units);
    if (drecurrent == nullptr) return;
    exchange_gates(all, drecurrent, 1, units);
    std::copy_n(all + 3 * units, units, drecurrent + 2 * units);
  }
  /// gates ← r, z, n and the product that r acts on.
  static void keep(const gate_sums& of, const float* bias, const float* recurrent, float* gates) {
    const index_t u = of.g.units, rows = of.rows();
    const auto part = [&](const float* b, index_t k) { return b != nullptr ? b + k * u : nullptr; };
    const auto as_it_is = [](float v) { return v; };
    of.of_input(0, 3 * u, gates, 4 * u);
    of.of_state(0, 2 * u, 1, gates, 4 * u);
    of.of_state(2 * u, u, 0, gates + 3 * u, 4 * u);
    activate_rows(rows, 2 * u, gates, 4 * u, recurrent, as_it_is);
    activate_rows(rows, 2 * u, gates, 4 * u, bias, sigmoid_of);
    activate_rows(rows, u, gates + 3 * u, 4 * u, part(recurrent, 2), as_it_is);
    add_reset(of, gates, 4 * u, gates + 2 * u, 4 * u);
    activate_rows(rows, u, gates + 2 * u, 4 * u, part(bias, 2), [](float v) { return std::tanh(v); });
  }
  static void infer_bias(const gate_sums& of, const float* gates, float* sums, float* bias) {
    const index_t u = of.g.units;
    of.of_input(0, 3 * u, sums, 4 * u);
    of.of_state(0, 2 * u, 1, sums, 4 * u);
    of.of_state(2 * u, u, 0, sums + 3 * u, 4 * u);
    add_reset(of, gates, 4 * u, sums + 2 * u, 4 * u);
    onednn_detail::infer_bias(inverse_sigmoid(), of, u, sums, 4 * u, gates, 4 * u, bias + u);
    onednn_detail::infer_bias(inverse_sigmoid(), of, u, sums + u, 4 * u, gates + u, 4 * u, bias);
    onednn_detail::infer_bias(inverse_tanh(), of, u, sums + 2 * u, 4 * u, gates + 2 * u, 4 * u, bias + 2 * u);
    for (index_t j = 3 * u; j < 4 * u; ++j) bias[j] = gates[j] - sums[j];  // the product's own bias, in any row
  }

 private:
  /// sums ← sums + r∘(the product).
  static void add_reset(const gate_sums& of, const float* gates, index_t stride, float* sums, index_t sum_stride) {
    const index_t u = of.g.units;
    for (index_t row = 0; row < of.rows(); ++row)
      for (index_t j = 0; j < u; ++j)
        sums[row * sum_stride + j] += gates[row * stride + j] * gates[row * stride + 3 * u + j];
  }
};

struct gru_call {
  template <class Args>
  static recurrent_geometry geometry(const Args& a) {
    return a.operands.geometry(gru_gates);
  }
  template <class Args>
  static index_t kind_of(const Args& a) {
    return static_cast<index_t>(a.reset);
  }
  static recurrent_forward_operands operands_of(const gru_args<float>& a) {
    return {.a = a.operands, .recurrent_bias = a.recurrent_bias, .gates = a.gates};
  }
  static recurrent_backward_operands operands_of(const gru_backward_args<float>& a) {
    return {.a = a.operands, .gates = a.gates, .drecurrent_bias = a.drecurrent_bias};
  }
  template <class Args, class F>
  static void with_cell(const Args& a, F&& f) {
    if (a.reset == gru_reset::before) f(gru_cell());
    else f(lbr_gru_cell());
  }
};
template <>
struct library_call<gru_args<float>> : recurrent_call<27, gru_args<float>, gru_call> {};
template <>
struct library_call<gru_backward_args<float>> : recurrent_call<28, gru_backward_args<float>, gru_call> {};

}  // namespace onednn_detail

template <onednn_detail::one_of<gru_args<float>, gru_backward_args<float>> Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <onednn_detail::one_of<gru_args<float>, gru_backward_args<float>> Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
