// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every layer of the library.
#include <ridgepoint/graph/layers/activation.hpp>
#include <ridgepoint/graph/layers/add.hpp>
#include <ridgepoint/graph/layers/attention.hpp>
#include <ridgepoint/graph/layers/batch_norm.hpp>
#include <ridgepoint/graph/layers/bidirectional.hpp>
#include <ridgepoint/graph/layers/concat_channels.hpp>
#include <ridgepoint/graph/layers/conv1d.hpp>
#include <ridgepoint/graph/layers/conv2d.hpp>
#include <ridgepoint/graph/layers/conv2d_transposed.hpp>
#include <ridgepoint/graph/layers/dense.hpp>
#include <ridgepoint/graph/layers/depthwise_conv2d.hpp>
#include <ridgepoint/graph/layers/dropout.hpp>
#include <ridgepoint/graph/layers/embedding.hpp>
#include <ridgepoint/graph/layers/flatten.hpp>
#include <ridgepoint/graph/layers/global_avg_pool1d.hpp>
#include <ridgepoint/graph/layers/global_max_pool.hpp>
#include <ridgepoint/graph/layers/group_norm.hpp>
#include <ridgepoint/graph/layers/gru.hpp>
#include <ridgepoint/graph/layers/layer_norm.hpp>
#include <ridgepoint/graph/layers/lstm.hpp>
#include <ridgepoint/graph/layers/masked.hpp>
#include <ridgepoint/graph/layers/pad_channels.hpp>
#include <ridgepoint/graph/layers/pool.hpp>
#include <ridgepoint/graph/layers/reshape.hpp>
#include <ridgepoint/graph/layers/rnn.hpp>
#include <ridgepoint/graph/layers/sinusoidal_positions.hpp>
#include <ridgepoint/graph/layers/slice.hpp>
#include <ridgepoint/graph/layers/softmax.hpp>
#include <ridgepoint/graph/layers/unembedding.hpp>
#include <ridgepoint/graph/layers/upsample.hpp>
