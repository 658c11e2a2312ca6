// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every op the oneDNN backend has. For the others there is either<onednn, cpu>.
#include <ridgepoint/onednn/activate.hpp>
#include <ridgepoint/onednn/add.hpp>
#include <ridgepoint/onednn/avg_pool2d.hpp>
#include <ridgepoint/onednn/batch_norm.hpp>
#include <ridgepoint/onednn/conv2d.hpp>
#include <ridgepoint/onednn/dense.hpp>
#include <ridgepoint/onednn/depthwise_conv2d.hpp>
#include <ridgepoint/onednn/fold_batch_norm.hpp>
#include <ridgepoint/onednn/gemm.hpp>
#include <ridgepoint/onednn/gemm_batched.hpp>
#include <ridgepoint/onednn/gru.hpp>
#include <ridgepoint/onednn/layer_norm.hpp>
#include <ridgepoint/onednn/lstm.hpp>
#include <ridgepoint/onednn/max_pool2d.hpp>
#include <ridgepoint/onednn/rnn.hpp>
#include <ridgepoint/onednn/softmax.hpp>
