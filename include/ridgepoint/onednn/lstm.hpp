// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/recurrent.hpp>
#include <ridgepoint/ops/lstm.hpp>

/// \file
/// lstm() and its gradients by the library's primitives; c and gates by products after it, the gradients after a
/// forward pass of the library's own. Throws: backend_error.
namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace onednn_detail {

/// The library's gates are i, f, g, o, as ours.
struct lstm_cell {
  using forward = dnnl::lstm_forward;
  using backward = dnnl::lstm_backward;
  static constexpr index_t gate_count = lstm_gates, biases = 4, kept = 4;
  static constexpr bool has_activation = false, has_c = true, z_first = false;

  static void bias_of(index_t units, const float* bias, const float*, float* all) {
    if (bias != nullptr) std::copy_n(bias, 4 * units, all);
    else std::fill_n(all, 4 * units, 0.0F);
  }
  static void bias_gradient(index_t units, const float* all, float* db, float*) {
    if (db != nullptr) std::copy_n(all, 4 * units, db);
  }
  /// gates ← i, f, g, o; c ← f·c(t − 1) + i·g.
  static void keep(const gate_sums& of, const float* bias, const float* c0, float* c, float* gates) {
    const index_t u = of.g.units, rows = of.rows(), each = of.g.n * u;
    sum(of, gates);
    for (index_t k = 0; k < 4; ++k) {
      float* const gate = gates + k * u;
      const float* const own = bias != nullptr ? bias + k * u : nullptr;
      if (k == 2) activate_rows(rows, u, gate, 4 * u, own, [](float v) { return std::tanh(v); });
      else activate_rows(rows, u, gate, 4 * u, own, sigmoid_of);
    }
    for (index_t row = 0; row < rows; ++row, gates += 4 * u, c += u)
      for (index_t j = 0; j < u; ++j) {
        const float before = row >= of.g.n ? c[j - each] : c0 != nullptr ? c0[row * u + j] : 0.0F;
        c[j] = gates[u + j] * before + gates[j] * gates[2 * u + j];
      }
  }
  static void infer_bias(const gate_sums& of, const float* gates, float* sums, float* bias) {
    const index_t u = of.g.units;
    sum(of, sums);
    for (index_t k = 0; k < 4; ++k) {
      const auto infer = [&](auto inverse) {
        onednn_detail::infer_bias(inverse, of, u, sums + k * u, 4 * u, gates + k * u, 4 * u, bias + k * u);
      };
      if (k == 2) infer(inverse_tanh());
      else infer(inverse_sigmoid());
    }
  }

 private:
  static void sum(const gate_sums& of, float* sums) {
    of.of_input(0, of.columns(), sums, of.columns());
    of.of_state(0, of.columns(), 1, sums, of.columns());
  }
};

struct lstm_call {
  template <class Args>
  static recurrent_geometry geometry(const Args& a) {
    return a.operands.geometry(lstm_gates);
  }
  template <class Args>
  static index_t kind_of(const Args&) {
    return 0;
  }
  static recurrent_forward_operands operands_of(const lstm_args<float>& a) {
    return {.a = a.operands, .c0 = a.c0, .c = a.c, .gates = a.gates, .last_c = a.last_c};
  }
  static recurrent_backward_operands operands_of(const lstm_backward_args<float>& a) {
    return {.a = a.operands, .c0 = a.c0, .gates = a.gates, .dc0 = a.dc0, .dlast_c = a.dlast_c};
  }
  template <class Args, class F>
  static void with_cell(const Args&, F&& f) {
    f(lstm_cell());
  }
};
template <>
struct library_call<lstm_args<float>> : recurrent_call<23, lstm_args<float>, lstm_call> {};
template <>
struct library_call<lstm_backward_args<float>> : recurrent_call<24, lstm_backward_args<float>, lstm_call> {};

}  // namespace onednn_detail

template <onednn_detail::one_of<lstm_args<float>, lstm_backward_args<float>> Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <onednn_detail::one_of<lstm_args<float>, lstm_backward_args<float>> Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
