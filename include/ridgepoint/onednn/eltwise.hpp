// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/onednn/primitive.hpp>
#include <ridgepoint/ops/activation.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail {

/// An activation in the library's words: f with α and β.
struct eltwise {
  dnnl::algorithm f;
  float alpha = 0, beta = 0;
};

/// Those that are one of the library's functions whose derivative it takes from what ours is computed from: relu and
/// leaky relu (x < 0: α·x), relu6, sigmoid, tanh, gelu.
[[nodiscard]] inline eltwise from_output(activation f, float slope) {
  switch (f) {
    case activation::sigmoid:
      return {dnnl::algorithm::eltwise_logistic_use_dst_for_bwd};
    case activation::tanh:
      return {dnnl::algorithm::eltwise_tanh_use_dst_for_bwd};
    case activation::gelu:
      return {dnnl::algorithm::eltwise_gelu_erf};
    case activation::relu6:
      return {dnnl::algorithm::eltwise_clip_v2_use_dst_for_bwd, 0.0F, 6.0F};
    case activation::none:
    case activation::relu:
    case activation::leaky_relu:
    case activation::hard_sigmoid:
    default:
      return {dnnl::algorithm::eltwise_relu_use_dst_for_bwd, f == activation::leaky_relu ? slope : 0.0F};
  }
}

/// What is applied to a product on its way to memory; f is fusable() or leaky relu, and not none.
inline void append_activation(dnnl::post_ops& ops, activation f, float slope = 0) {
  if (f == activation::relu6) return append_eltwise(ops, dnnl::algorithm::eltwise_clip, 0, 6);
  const dnnl::algorithm algorithm = f == activation::sigmoid ? dnnl::algorithm::eltwise_logistic
                                    : f == activation::tanh  ? dnnl::algorithm::eltwise_tanh
                                                             : dnnl::algorithm::eltwise_relu;
  append_eltwise(ops, algorithm, f == activation::leaky_relu ? slope : 0, 0);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI::onednn_detail
