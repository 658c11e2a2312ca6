// SPDX-License-Identifier: MIT
#pragma once

#include <ridgepoint/core/type_list.hpp>
#include <ridgepoint/ops/activate.hpp>
#include <ridgepoint/ops/adadelta.hpp>
#include <ridgepoint/ops/adam.hpp>
#include <ridgepoint/ops/add.hpp>
#include <ridgepoint/ops/add_bias.hpp>
#include <ridgepoint/ops/attention.hpp>
#include <ridgepoint/ops/avg_pool2d.hpp>
#include <ridgepoint/ops/batch_norm.hpp>
#include <ridgepoint/ops/binary_cross_entropy.hpp>
#include <ridgepoint/ops/concat_channels.hpp>
#include <ridgepoint/ops/conv2d.hpp>
#include <ridgepoint/ops/convert.hpp>
#include <ridgepoint/ops/dense.hpp>
#include <ridgepoint/ops/depthwise_conv2d.hpp>
#include <ridgepoint/ops/detection.hpp>
#include <ridgepoint/ops/dropout.hpp>
#include <ridgepoint/ops/embedding.hpp>
#include <ridgepoint/ops/embedding_rows.hpp>
#include <ridgepoint/ops/fold_batch_norm.hpp>
#include <ridgepoint/ops/gemm.hpp>
#include <ridgepoint/ops/gemm_batched.hpp>
#include <ridgepoint/ops/gemm_packed.hpp>
#include <ridgepoint/ops/group_norm.hpp>
#include <ridgepoint/ops/gru.hpp>
#include <ridgepoint/ops/layer_norm.hpp>
#include <ridgepoint/ops/lstm.hpp>
#include <ridgepoint/ops/max_pool2d.hpp>
#include <ridgepoint/ops/momentum.hpp>
#include <ridgepoint/ops/mse.hpp>
#include <ridgepoint/ops/op_record.hpp>
#include <ridgepoint/ops/pad_channels.hpp>
#include <ridgepoint/ops/positions.hpp>
#include <ridgepoint/ops/prepare.hpp>
#include <ridgepoint/ops/projected_lstm.hpp>
#include <ridgepoint/ops/recurrent.hpp>
#include <ridgepoint/ops/rms_norm.hpp>
#include <ridgepoint/ops/rmsprop_keras.hpp>
#include <ridgepoint/ops/rmsprop_tf1.hpp>
#include <ridgepoint/ops/rnn.hpp>
#include <ridgepoint/ops/sgd.hpp>
#include <ridgepoint/ops/softmax.hpp>
#include <ridgepoint/ops/softmax_cross_entropy.hpp>
#include <ridgepoint/ops/step_state.hpp>
#include <ridgepoint/ops/sum_of_squares.hpp>
#include <ridgepoint/ops/upsample.hpp>

namespace ridgepoint::inline RIDGEPOINT_ABI {

/// Ops on matrices and vectors, losses and optimisers.
template <scalar T>
using matrix_ops =
    type_list<gemm_args<T>, gemm_batched_args<T>, pack_b_args<T>, gemm_packed_args<T>, dense_args<T>,
              dense_backward_data_args<T>, dense_backward_weights_args<T>, activate_args<T>, activate_backward_args<T>,
              softmax_args<T>, softmax_cross_entropy_args<T>, mse_args<T>, binary_cross_entropy_args<T>,
              dropout_args<T>, add_args<T>, sum_of_squares_args<T>, sgd_update_args<T>, momentum_update_args<T>,
              rmsprop_keras_update_args<T>, rmsprop_tf1_update_args<T>, adam_update_args<T>, adadelta_update_args<T>>;
/// Ops on images.
template <scalar T>
using image_ops =
    type_list<conv2d_args<T>, conv2d_backward_data_args<T>, conv2d_backward_weights_args<T>, depthwise_conv2d_args<T>,
              depthwise_conv2d_backward_data_args<T>, depthwise_conv2d_backward_weights_args<T>, max_pool2d_args<T>,
              max_pool2d_backward_args<T>, avg_pool2d_args<T>, avg_pool2d_backward_args<T>, batch_norm_args<T>,
              batch_norm_backward_args<T>, batch_norm_inference_args<T>, fold_batch_norm_args<T>, layer_norm_args<T>,
              layer_norm_backward_args<T>, rms_norm_args<T>, rms_norm_backward_args<T>, group_norm_args<T>,
              group_norm_backward_args<T>, pad_channels_args<T>, pad_channels_backward_args<T>, concat_channels_args<T>,
              add_bias_args<T>, upsample_args<T>, upsample_backward_args<T>, detection_args<T>>;
/// Ops on sequences.
template <scalar T>
using sequence_ops = type_list<embedding_args<T>, embedding_backward_args<T>, embedding_rows_args<T>, rnn_args<T>,
                               rnn_backward_args<T>, lstm_args<T>, lstm_backward_args<T>, projected_lstm_args<T>,
                               projected_lstm_backward_args<T>, gru_args<T>, gru_backward_args<T>, attention_args<T>,
                               attention_backward_args<T>, positions_args<T>, positions_backward_args<T>>;

/// Every op for elements of type T, once: tables with an entry per op are generated from this list.
template <scalar T>
using all_ops = decltype(matrix_ops<T>{} + image_ops<T>{} + sequence_ops<T>{});

/// The ops of networks of dense layers, except the updates, which run in f32.
template <scalar T>
using dense_network_ops =
    type_list<gemm_args<T>, dense_args<T>, dense_backward_data_args<T>, dense_backward_weights_args<T>,
              activate_args<T>, activate_backward_args<T>, softmax_args<T>, softmax_cross_entropy_args<T>, mse_args<T>,
              binary_cross_entropy_args<T>, dropout_args<T>, add_args<T>>;

/// Conversions between element types.
using conversion_ops = type_list<convert_args<bfloat16, float>, convert_args<float, bfloat16>>;
/// Conversions of float16, for which CPUs have no kernels.
using float16_conversion_ops = type_list<convert_args<float16, float>, convert_args<float, float16>>;

/// The ops that have no element type.
using untyped_ops = type_list<advance_args>;

}  // namespace ridgepoint::inline RIDGEPOINT_ABI
