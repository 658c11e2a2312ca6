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

/// Ops on sequences, and the products that are made of several or with packed weights.
template <scalar T>
using cuda_sequence_ops = decltype(sequence_ops<T>{} +
                                   type_list<gemm_batched_args<T>, pack_b_args<T>, gemm_packed_args<T>>{});

/// Convolutions.
template <scalar T>
using cuda_convolution_ops = type_list<conv2d_args<T>, conv2d_backward_data_args<T>, conv2d_backward_weights_args<T>>;

/// The arguments of every op that runs on a GPU, in the order of the component's table.
using cuda_ops = decltype(cuda_matrix_ops<float>{} + cuda_matrix_ops<double>{} + cuda_convolution_ops<float>{} +
                          cuda_convolution_ops<double>{} + cuda_sequence_ops<float>{} + cuda_sequence_ops<double>{} +
                          untyped_ops{} + gpu_probe_ops{});

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
