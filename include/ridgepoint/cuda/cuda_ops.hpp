// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/cuda/probe_args.hpp>
#include <ridgepoint/ops/all.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Ops of networks of dense layers, over elements of type T.
template <scalar T>
using cuda_matrix_ops =
    type_list<gemm_args<T>, dense_args<T>, dense_backward_data_args<T>, dense_backward_weights_args<T>,
              activate_args<T>, activate_backward_args<T>, softmax_args<T>, softmax_cross_entropy_args<T>, mse_args<T>,
              binary_cross_entropy_args<T>, dropout_args<T>, add_args<T>, add_bias_args<T>, sum_of_squares_args<T>,
              sgd_update_args<T>, momentum_update_args<T>, rmsprop_keras_update_args<T>, rmsprop_tf1_update_args<T>,
              adam_update_args<T>, adadelta_update_args<T>>;

/// Ops of networks of images but convolutions of all channels, over elements of type T.
template <scalar T>
using cuda_image_ops =
    type_list<depthwise_conv2d_args<T>, depthwise_conv2d_backward_data_args<T>,
              depthwise_conv2d_backward_weights_args<T>, max_pool2d_args<T>, max_pool2d_backward_args<T>,
              avg_pool2d_args<T>, avg_pool2d_backward_args<T>, batch_norm_args<T>, batch_norm_backward_args<T>,
              batch_norm_inference_args<T>, fold_batch_norm_args<T>, layer_norm_args<T>, layer_norm_backward_args<T>,
              group_norm_args<T>, group_norm_backward_args<T>, pad_channels_args<T>, pad_channels_backward_args<T>,
              concat_channels_args<T>, upsample_args<T>, upsample_backward_args<T>, detection_args<T>>;

/// The arguments of every op that runs on a GPU, in the order of the component's table.
using cuda_ops = decltype(cuda_matrix_ops<float>{} + cuda_matrix_ops<double>{} + cuda_image_ops<float>{} +
                          cuda_image_ops<double>{} + untyped_ops{} + gpu_probe_ops{});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
