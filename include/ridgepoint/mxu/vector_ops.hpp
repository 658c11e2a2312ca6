// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/mxu/mxu.hpp>
#include <ridgepoint/ops/all.hpp>
#include <ridgepoint/reference/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {
namespace systolic {

/// Ops without a product, or with one that would leave the array almost empty (depthwise convolution: a column of the
/// array for each channel): the vector unit's.
using vector_ops =
    type_list<activate_args<float>, activate_backward_args<float>, softmax_args<float>,
              softmax_cross_entropy_args<float>, mse_args<float>, binary_cross_entropy_args<float>, dropout_args<float>,
              add_args<float>, sgd_update_args<float>, momentum_update_args<float>, rmsprop_keras_update_args<float>,
              rmsprop_tf1_update_args<float>, adam_update_args<float>, adadelta_update_args<float>, advance_args,
              depthwise_conv2d_args<float>, depthwise_conv2d_backward_data_args<float>,
              depthwise_conv2d_backward_weights_args<float>, max_pool2d_args<float>, max_pool2d_backward_args<float>,
              avg_pool2d_args<float>, avg_pool2d_backward_args<float>, batch_norm_args<float>,
              batch_norm_backward_args<float>, batch_norm_inference_args<float>, to_indices_args<float>,
              embedding_args<float>, embedding_backward_args<float>>;

}  // namespace systolic

/// In fp32 on the host's own kernels; where the host has none yet, by definition.
template <backend Host, class Args>
  requires(systolic::vector_ops::contains<Args>)
void execute(const mxu<Host>& on, const Args& args) {
  if constexpr (executes<Host, Args>) execute(on.host(), args);
  else execute(reference, args);
}

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
