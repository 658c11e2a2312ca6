// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every op the TPU backend has, and the time the model gives each.
#include <ridgepoint/mxu/attention.hpp>
#include <ridgepoint/mxu/bfloat16.hpp>
#include <ridgepoint/mxu/conv2d.hpp>
#include <ridgepoint/mxu/dense.hpp>
#include <ridgepoint/mxu/gemm.hpp>
#include <ridgepoint/mxu/gru.hpp>
#include <ridgepoint/mxu/lstm.hpp>
#include <ridgepoint/mxu/plan_attention.hpp>
#include <ridgepoint/mxu/plan_recurrent.hpp>
#include <ridgepoint/mxu/projected_lstm.hpp>
#include <ridgepoint/mxu/rnn.hpp>
#include <ridgepoint/mxu/vector_ops.hpp>
