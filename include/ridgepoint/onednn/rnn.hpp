// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/recurrent.hpp>
#include <ridgepoint/ops/rnn.hpp>

/// \file
/// rnn() and its gradients by the library's primitives, the gradients after a forward pass of the library's own.
/// Throws: unsupported for an activation other than relu, sigmoid and tanh; backend_error.
namespace ridgepoint::inline RIDGEPOINT_ABI {
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
                         "rnn: the activation is ", to_string(a), "; oneDNN has relu, sigmoid and tanh");
    return a == activation::relu      ? dnnl::algorithm::eltwise_relu
           : a == activation::sigmoid ? dnnl::algorithm::eltwise_logistic
                                      : dnnl::algorithm::eltwise_tanh;
  }
  /// Of a column that is zero in every row, any bias that keeps it so.
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
