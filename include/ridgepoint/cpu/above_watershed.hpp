// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The ops that are compiled once: headers that list their kernels_of(). Those of cpu/all.hpp that are not here are
/// compiled once per instruction set.
#include <ridgepoint/cpu/activate.hpp>
#include <ridgepoint/cpu/adadelta.hpp>
#include <ridgepoint/cpu/adam.hpp>
#include <ridgepoint/cpu/add.hpp>
#include <ridgepoint/cpu/add_bias.hpp>
#include <ridgepoint/cpu/array_gemm.hpp>
#include <ridgepoint/cpu/attention.hpp>
#include <ridgepoint/cpu/avg_pool2d.hpp>
#include <ridgepoint/cpu/batch_norm.hpp>
#include <ridgepoint/cpu/binary_cross_entropy.hpp>
#include <ridgepoint/cpu/concat_channels.hpp>
#include <ridgepoint/cpu/conv2d.hpp>
#include <ridgepoint/cpu/convert.hpp>
#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/depthwise_conv2d.hpp>
#include <ridgepoint/cpu/detection.hpp>
#include <ridgepoint/cpu/dropout.hpp>
#include <ridgepoint/cpu/embedding.hpp>
#include <ridgepoint/cpu/embedding_rows.hpp>
#include <ridgepoint/cpu/fold_batch_norm.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/cpu/gemm_batched.hpp>
#include <ridgepoint/cpu/gemm_bfloat16.hpp>
#include <ridgepoint/cpu/gemm_packed.hpp>
#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/cpu/group_norm.hpp>
#include <ridgepoint/cpu/layer_norm.hpp>
#include <ridgepoint/cpu/max_pool2d.hpp>
#include <ridgepoint/cpu/momentum.hpp>
#include <ridgepoint/cpu/mse.hpp>
#include <ridgepoint/cpu/pad_channels.hpp>
#include <ridgepoint/cpu/positions.hpp>
#include <ridgepoint/cpu/probe_ops.hpp>
#include <ridgepoint/cpu/rmsprop_keras.hpp>
#include <ridgepoint/cpu/rmsprop_tf1.hpp>
#include <ridgepoint/cpu/sgd.hpp>
#include <ridgepoint/cpu/softmax.hpp>
#include <ridgepoint/cpu/softmax_cross_entropy.hpp>
#include <ridgepoint/cpu/step_state.hpp>
#include <ridgepoint/cpu/sum_of_squares.hpp>
#include <ridgepoint/cpu/upsample.hpp>
