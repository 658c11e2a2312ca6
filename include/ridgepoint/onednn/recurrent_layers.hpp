// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/recurrent.hpp>
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/rnn.hpp>

/// \file
/// lstm(), gru() and rnn() and their gradients by the library's primitives.
namespace ridgepoint::inline RIDGEPOINT_ABI {

// lstm() and its gradients by the library's primitives. Products compute c and gates afterwards; the gradients run the
// library's forward pass first. Throws: backend_error.
namespace onednn_detail {

/// The library's gates are i, f, g, o, like ours.
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

// gru() and its gradients by the library's primitives: its GRU resets before the product, its "linear before reset"
// GRU after the product. Products compute the gates afterwards; the gradients run the library's forward pass first.
// Throws: backend_error.

namespace onednn_detail {

/// The library's gates are z, r, n; ours are r, z, n.
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

/// The candidate has one bias on each side of the reset; r and z have the sum of both.
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
  /// gates ← r, z, n and the product that r multiplies.
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
    for (index_t j = 3 * u; j < 4 * u; ++j) bias[j] = gates[j] - sums[j];  // the product's own bias, from any row
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
  /// oneDNN 3.7.2 computes a GRU of one unit wrongly on AVX-512.
  template <class Args>
  static bool is_wrong(const Args& a) {
    return DNNL_VERSION_MAJOR >= 3 && a.reset == gru_reset::before && geometry(a).units == 1;
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

// rnn() and its gradients by the library's primitives; the gradients run the library's forward pass first. Throws:
// unsupported for an activation other than relu, sigmoid and tanh; backend_error.

namespace onednn_detail {

struct rnn_cell {
  using forward = dnnl::vanilla_rnn_forward;
  using backward = dnnl::vanilla_rnn_backward;
  static constexpr index_t gate_count = rnn_gates, biases = 1, kept = 0;
  static constexpr bool has_activation = true, has_c = false, z_first = false;

  activation act = activation::tanh;
  dnnl::algorithm f = dnnl::algorithm::eltwise_tanh;

  /// Throws: unsupported.
  explicit rnn_cell(activation a = activation::tanh) : act(a), f(algorithm_of(a)) {}

  static void bias_of(index_t units, const float* bias, const float*, float* all) {
    if (bias != nullptr) std::copy_n(bias, units, all);
    else std::fill_n(all, units, 0.0F);
  }
  static void bias_gradient(index_t units, const float* all, float* db, float*) {
    if (db != nullptr) std::copy_n(all, units, db);
  }
  void infer_bias(const gate_sums& of, const float* y, float* sums, float* bias) const {
    const index_t u = of.g.units;
    of.of_input(0, u, sums, u);
    of.of_state(0, u, 1, sums, u);
    if (act == activation::tanh) onednn_detail::infer_bias(inverse_tanh(), of, u, sums, u, y, u, bias);
    else if (act == activation::sigmoid) onednn_detail::infer_bias(inverse_sigmoid(), of, u, sums, u, y, u, bias);
    else
      for (index_t j = 0; j < u; ++j) bias[j] = bias_of_relu(of.rows(), sums + j, y + j, u);
  }

 private:
  [[nodiscard]] static dnnl::algorithm algorithm_of(activation a) {
    require<unsupported>(a == activation::relu || a == activation::sigmoid || a == activation::tanh,
                         "rnn: the activation is ", to_string(a), "; must be relu, sigmoid or tanh");
    return a == activation::relu      ? dnnl::algorithm::eltwise_relu
           : a == activation::sigmoid ? dnnl::algorithm::eltwise_logistic
                                      : dnnl::algorithm::eltwise_tanh;
  }
  /// Returns the bias of a column; if y is zero in every row, any bias that keeps it zero.
  [[nodiscard]] static float bias_of_relu(index_t rows, const float* sums, const float* y, index_t stride) {
    float most = sums[0], value = 0, bias = 0;
    for (index_t i = 0; i < rows * stride; i += stride) {
      most = (std::max)(most, sums[i]);
      if (y[i] > value) value = y[i], bias = y[i] - sums[i];
    }
    return value > 0 ? bias : -most - 1;
  }
};

struct rnn_call {
  template <class Args>
  static recurrent_geometry geometry(const Args& a) {
    return a.operands.geometry(rnn_gates);
  }
  template <class Args>
  static index_t kind_of(const Args& a) {
    return static_cast<index_t>(a.act);
  }
  static recurrent_forward_operands operands_of(const rnn_args<float>& a) { return {.a = a.operands}; }
  static recurrent_backward_operands operands_of(const rnn_backward_args<float>& a) { return {.a = a.operands}; }
  template <class Args, class F>
  static void with_cell(const Args& a, F&& f) {
    f(rnn_cell(a.act));
  }
};
template <>
struct library_call<rnn_args<float>> : recurrent_call<25, rnn_args<float>, rnn_call> {};
template <>
struct library_call<rnn_backward_args<float>> : recurrent_call<26, rnn_backward_args<float>, rnn_call> {};

}  // namespace onednn_detail

template <onednn_detail::one_of<rnn_args<float>, rnn_backward_args<float>> Args>
void execute(const onednn& on, const Args& args) {
  onednn_detail::execute_call(on, args);
}
template <onednn_detail::one_of<rnn_args<float>, rnn_backward_args<float>> Args>
[[nodiscard]] onednn_prepared prepare(const onednn& on, const Args& args, const prepare_options& = {}) {
  return onednn_detail::prepare_call(on, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
