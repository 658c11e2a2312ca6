// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// The reference backend with every op: a network runs on rp::reference.
#include <ridgepoint/reference/activate.hpp>
#include <ridgepoint/reference/adadelta.hpp>
#include <ridgepoint/reference/adam.hpp>
#include <ridgepoint/reference/add.hpp>
#include <ridgepoint/reference/array_gemm.hpp>
#include <ridgepoint/reference/avg_pool2d.hpp>
#include <ridgepoint/reference/batch_norm.hpp>
#include <ridgepoint/reference/binary_cross_entropy.hpp>
#include <ridgepoint/reference/concat_channels.hpp>
#include <ridgepoint/reference/conv2d.hpp>
#include <ridgepoint/reference/convert.hpp>
#include <ridgepoint/reference/dense.hpp>
#include <ridgepoint/reference/depthwise_conv2d.hpp>
#include <ridgepoint/reference/dropout.hpp>
#include <ridgepoint/reference/embedding.hpp>
#include <ridgepoint/reference/gemm.hpp>
#include <ridgepoint/reference/gemm_batched.hpp>
#include <ridgepoint/reference/gemm_packed.hpp>
#include <ridgepoint/reference/gru.hpp>
#include <ridgepoint/reference/layer_norm.hpp>
#include <ridgepoint/reference/lstm.hpp>
#include <ridgepoint/reference/max_pool2d.hpp>
#include <ridgepoint/reference/momentum.hpp>
#include <ridgepoint/reference/mse.hpp>
#include <ridgepoint/reference/pad_channels.hpp>
#include <ridgepoint/reference/rmsprop_keras.hpp>
#include <ridgepoint/reference/rmsprop_tf1.hpp>
#include <ridgepoint/reference/rnn.hpp>
#include <ridgepoint/reference/sgd.hpp>
#include <ridgepoint/reference/softmax.hpp>
#include <ridgepoint/reference/softmax_cross_entropy.hpp>
#include <ridgepoint/reference/step_state.hpp>
#include <ridgepoint/reference/sum_of_squares.hpp>
