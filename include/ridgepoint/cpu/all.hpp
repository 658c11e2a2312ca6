// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every op the CPU backend has.
#include <ridgepoint/cpu/array_gemm.hpp>
#include <ridgepoint/cpu/attention.hpp>
#include <ridgepoint/cpu/conv2d.hpp>
#include <ridgepoint/cpu/dense.hpp>
#include <ridgepoint/cpu/depthwise_conv2d.hpp>
#include <ridgepoint/cpu/elementwise.hpp>
#include <ridgepoint/cpu/embedding.hpp>
#include <ridgepoint/cpu/gemm.hpp>
#include <ridgepoint/cpu/gemm_bfloat16.hpp>
#include <ridgepoint/cpu/gemm_fixed.hpp>
#include <ridgepoint/cpu/gemm_prepare.hpp>
#include <ridgepoint/cpu/losses.hpp>
#include <ridgepoint/cpu/normalisation.hpp>
#include <ridgepoint/cpu/optimisers.hpp>
#include <ridgepoint/cpu/pooling.hpp>
#include <ridgepoint/cpu/projected_lstm.hpp>
#include <ridgepoint/cpu/recurrent_layers.hpp>
