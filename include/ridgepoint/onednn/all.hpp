// SPDX-License-Identifier: MIT
#pragma once

/// \file
/// Every op of the oneDNN backend; either<onednn, cpu> runs the other ops.
#include <ridgepoint/onednn/convolution.hpp>
#include <ridgepoint/onednn/elementwise.hpp>
#include <ridgepoint/onednn/gemm.hpp>
#include <ridgepoint/onednn/normalisation.hpp>
#include <ridgepoint/onednn/pooling.hpp>
#include <ridgepoint/onednn/recurrent_layers.hpp>
